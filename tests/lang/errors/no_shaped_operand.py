import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.tile.add(1.0, 2.0)
