import tilewire.language as pl


@pl.jit.incore
def kernel(n=1, m: pl.Scalar[pl.INDEX]):
    v = n + m
