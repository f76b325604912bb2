import tilewire.language as pl


@pl.jit.incore
def kernel(f: pl.Scalar[pl.FP32]):
    v = int(f)
