import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[16], pl.FP32]]):
    if n > 0:
        y[0] = pl.yield_(1.0)
    else:
        y[0] = pl.yield_(2.0)
