import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Tensor[[16, 16], pl.INT32]):
    t = pl.load(a)
    u = pl.matmul(t, t)
