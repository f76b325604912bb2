import tilewire.language as pl


@pl.jit.incore
def kernel():
    b = pl.reserve_buffer(name="b", size=4096, base=-8)
