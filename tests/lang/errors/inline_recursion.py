import tilewire.language as pl


@pl.jit.inline
def again(n):
    return again(n)


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = again(n)
