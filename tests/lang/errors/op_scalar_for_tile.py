import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.FP32]):
    t = pl.exp(n)
