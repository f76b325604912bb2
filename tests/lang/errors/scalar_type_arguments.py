import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[4]):
    v = n
