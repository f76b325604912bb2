import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    class = n
    with = class
    if = 3
    v = n + 1
