import tilewire.language as pl


@pl.jit.incore
def kernel(f: pl.Scalar[pl.FP32]):
    a = pl.array.create(4, pl.INT32)
    a[0] = f
