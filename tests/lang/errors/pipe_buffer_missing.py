import tilewire.language as pl


@pl.jit.incore
def kernel():
    pl.aic_initialize_pipe(None, None, dir_mask=1, slot_size=64)
