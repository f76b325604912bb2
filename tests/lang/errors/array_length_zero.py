import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Array[0, pl.INT32]):
    v = a[0]
