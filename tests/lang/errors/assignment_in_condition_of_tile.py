import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], n: pl.Scalar[pl.INDEX]):
    t = pl.load(x)
    if n = t:
        v = n
    while t = 3:
        n = n + 1
