import tilewire.language as pl


@pl.jit.inline
def twice(t):
    return t + t


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = twice(pl.load(x), device=0)
