import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIV)
def vector():
    t = pl.tpop_from_aic(split=0)
