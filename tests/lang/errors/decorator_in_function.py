import tilewire.language as pl


@pl.jit.incore
def kernel():
    pl.jit()
