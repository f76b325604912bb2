import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Array[4, pl.FP32]):
    v = a[0]
