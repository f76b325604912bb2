import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Out[pl.Scalar[pl.INT32]]):
    v = n
