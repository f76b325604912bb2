import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n > 0:
        v = pl.yield_(n)
        w = v
    else:
        v = pl.yield_(n)
