import tilewire.language as pl


@pl.jit.incore
def kernel():
    b = pl.reserve_buffer(name="", size=4096)
