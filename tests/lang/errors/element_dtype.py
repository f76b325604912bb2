import tilewire.language as pl


@pl.jit.incore
def kernel(y: pl.Out[pl.Tensor[[16, 16], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    y = pl.write(y, [0, 0], n)
