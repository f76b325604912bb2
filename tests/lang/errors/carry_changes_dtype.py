import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX], f: pl.Scalar[pl.FP32]):
    total = n
    for i in pl.range(4):
        total = f
    return total
