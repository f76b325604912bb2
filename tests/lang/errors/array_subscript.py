import tilewire.language as pl


@pl.jit.incore
def kernel():
    a = pl.array.create(4, pl.INT32)
    v = a[0:2]
