import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    while n > 0:
        v = n
    else:
        v = 0
