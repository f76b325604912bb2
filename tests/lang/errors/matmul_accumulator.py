import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Tensor[[16, 16], pl.FP16]):
    t = pl.load(a)
    u = pl.matmul_acc(t, t, t)
