import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube(x: pl.Tensor[[16, 16], pl.FP32]):
    lane = pl.tile.get_subblock_idx()
