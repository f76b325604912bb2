import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube():
    b = pl.reserve_buffer(name="b", size=4096)
    pl.aic_initialize_pipe(b, pl.const(0, pl.INT32), dir_mask=3, slot_size=64)
