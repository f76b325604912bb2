import tilewire.language as pl

M, N = 16


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + N
