import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = 0 < max(1, 0 < max(1, 0 < max(1, 0 < max(1, 0 < max(1, 0 < n < 9) < 9) < 9) < 9) < 9) < 9
