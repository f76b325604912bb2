import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Tensor[[16, 16], pl.FP32], c: pl.Tensor[[1, 32], pl.FP32]):
    t = pl.load(a)
    u = pl.matmul_bias(t, t, pl.load(c))
