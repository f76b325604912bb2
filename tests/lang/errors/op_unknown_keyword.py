import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0, 0], [16, 16], valid=[8, 16])
