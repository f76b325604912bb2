import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube():
    pl.aic_initialize_pipe(None, None, dir_mask=1, slot_size=64)
