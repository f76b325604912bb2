import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.laod(x)
    u = pl.load(x, [0], [16, 16])
    v = lambda a: a
    w = pl.exp(t) + u
    z = missing + 1
