import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Scalar[pl.FP16], b: pl.Scalar[pl.BF16]):
    v = a + b
