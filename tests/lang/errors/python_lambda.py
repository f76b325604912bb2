import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    f = lambda a: a + 1
    v = f(n)
