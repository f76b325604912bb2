import tilewire.language as pl


@pl.jit.inline
def twice(t: pl.Tile[[16, 16], pl.FP32]):
    return t + t


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = twice(x)
