import tilewire.language as pl


@pl.jit.incore
def kernel(n: int):
    v = n
