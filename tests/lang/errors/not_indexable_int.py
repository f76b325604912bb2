import tilewire.language as pl


@pl.jit.incore
def kernel():
    v = 3
    w = v[0]
