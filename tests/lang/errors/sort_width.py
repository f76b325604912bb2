import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 40], pl.FP32]):
    t, i = pl.sort32(pl.load(x))
