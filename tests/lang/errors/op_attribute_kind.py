import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.tile.create([16, 16], dtype=4)
