import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Tensor[[16, 16], pl.FP16], f: pl.Scalar[pl.FP32]):
    t = pl.load(a) * f
