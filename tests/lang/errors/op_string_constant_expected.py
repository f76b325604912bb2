import tilewire.language as pl


@pl.jit.incore
def kernel():
    b = pl.reserve_buffer(name=7, size=4096)
