import tilewire.language as pl


@pl.jit.incore
def first(n: pl.Scalar[pl.INDEX]):
    v = n +
    w = (n

@pl.jit.incore
def second(n: pl.Scalar[pl.INDEX]):
    if n > 0
        v = n
    x = 12ab
