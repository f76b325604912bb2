import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX], n: pl.Scalar[pl.INDEX]):
    v = n
