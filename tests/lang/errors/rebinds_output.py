import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.add(pl.load(x), 1.0)
