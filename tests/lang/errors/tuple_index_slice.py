import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 32], pl.FP32]):
    both = pl.sort32(pl.load(x))
    t = both[0:1]
