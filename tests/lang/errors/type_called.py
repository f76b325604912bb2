import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.Tile([16, 16], pl.FP32)
