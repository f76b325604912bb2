import tilewire.language as pl


@pl.jit.incore
def kernel(n: 4):
    v = n
