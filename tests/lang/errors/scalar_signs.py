import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Scalar[pl.INT32], b: pl.Scalar[pl.UINT32]):
    v = a + b
