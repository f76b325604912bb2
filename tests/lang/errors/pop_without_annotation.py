import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.tpop_from_aic(split=0)
