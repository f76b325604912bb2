import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube():
    t: pl.Tile[[16, 16], pl.FP32] = pl.tpop_from_aic(split=0)
