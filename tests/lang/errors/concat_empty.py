import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.tile.concat([])
