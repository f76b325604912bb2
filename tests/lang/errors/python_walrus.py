import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if (v := n + 1) > 0:
        w = v
