import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.tile.create([0, 16], dtype=pl.FP32)
