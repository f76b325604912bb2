import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], flag: pl.Scalar[pl.BOOL]):
    t = pl.load(x)
    u = pl.matmul(t, t, a_trans=flag)
