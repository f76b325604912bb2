import tilewire.language as pl


@pl.jit.incore
def kernel():
    a = pl.array.create(0, pl.INT32)
