import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube():
    lane = pl.tile.get_subblock_idx()
