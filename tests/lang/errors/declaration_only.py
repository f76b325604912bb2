import tilewire.language as pl


@pl.jit.incore
def kernel():
    v: pl.Scalar[pl.INT32]
