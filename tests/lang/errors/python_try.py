import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    try:
        v = n
    except ValueError:
        v = 1
