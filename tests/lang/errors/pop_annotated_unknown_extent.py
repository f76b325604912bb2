import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIV)
def vector(n: pl.Scalar[pl.INDEX]):
    t: pl.Tile[[n, 16], pl.FP32] = pl.tpop_from_aic(split=0)
