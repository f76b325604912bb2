import tilewire.language as pl


@pl.jit.incore
def kernel(y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y[0][1] = 1.0
