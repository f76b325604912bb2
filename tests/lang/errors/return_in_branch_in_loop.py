import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.range(n):
        if i > 2:
            return i
