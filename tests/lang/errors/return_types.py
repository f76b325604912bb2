import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX], f: pl.Scalar[pl.FP32]):
    if n > 0:
        return n
    return f
