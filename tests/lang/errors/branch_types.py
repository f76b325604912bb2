import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX], f: pl.Scalar[pl.FP32]):
    if n > 0:
        v = pl.yield_(n)
    else:
        v = pl.yield_(f)
