import tilewire.language as pl


@pl.jit.incore
def kernel(i: pl.Scalar[pl.INDEX], f: pl.Scalar[pl.FP32]):
    v = i + f
