import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[4], pl.INT64]]):
    return n
    v = n + 1
