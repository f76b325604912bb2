import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.FP32):
    v = n
