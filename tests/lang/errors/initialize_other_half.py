import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube():
    b = pl.reserve_buffer(name="b", size=4096)
    pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=64)
