import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Tensor[[16, 32], pl.FP32], b: pl.Tensor[[16, 32], pl.FP32]):
    t = pl.matmul(pl.load(a), pl.load(b))
