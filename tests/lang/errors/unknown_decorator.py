import tilewire.language as pl


@pl.load
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n
