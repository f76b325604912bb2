import tilewire.language as pl


@pl.jit.inline
def broken(t):
    return t + missing


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = broken(pl.load(x))
