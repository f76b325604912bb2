import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], i: pl.Tensor[[8, 4], pl.INT32]):
    t = pl.gather(pl.load(x), pl.load(i))
