import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y[0:8, :] = pl.load(x)
