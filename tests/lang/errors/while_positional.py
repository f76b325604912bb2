import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for (a,) in pl.while_(n):
        pl.cond(a > 0)
        b = pl.yield_(a)
