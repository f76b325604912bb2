import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):
    a = pl.load(x)
    t = pl.concat(a, pl.load(x))
    u = pl.concat(a)
    v = pl.concat([a, a], pl.load(x))
