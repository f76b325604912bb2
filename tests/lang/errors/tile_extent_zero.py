import tilewire.language as pl


@pl.jit.incore
def kernel():
    t: pl.Tile[[0, 16], pl.FP32] = pl.tile.create([16, 16], dtype=pl.FP32)
