import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    t: pl.Tile[[n, 16], pl.FP32] = pl.tile.create([16, 16], dtype=pl.FP32)
