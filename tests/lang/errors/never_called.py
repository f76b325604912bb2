import tilewire.language as pl


@pl.jit.incore
def unused(x):
    t = pl.load(x)


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n
