import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(y)
    u = pl.exp(t)
    for i in pl.range(4):
        u = u + t
    if u:
        v = u
    w = v[0:8, :]
