import tilewire.language as pl


@pl.jit.incore
def kernel():
    v = pl.const("1", pl.INT32)
