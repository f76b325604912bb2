import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    t: pl.Tile[[n, 16], pl.FP32] = pl.tpop_from_aic(split=0)
