import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    from math import sqrt
    v = n
