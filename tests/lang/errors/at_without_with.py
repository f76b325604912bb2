import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.at(level=pl.Level.CORE_GROUP)
