import tilewire.language as pl


@pl.jit.incore
def kernel():
    v = pl.const(300, pl.INT8)
