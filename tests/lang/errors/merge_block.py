import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 128], pl.FP32], i: pl.Tensor[[16, 128], pl.INT32]):
    t, j = pl.mrgsort(pl.load(x), pl.load(i), block_len=33)
