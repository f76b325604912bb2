import tilewire.language as pl


ZERO = pl.full([16, 16], dtype=pl.FP32, value=0)


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x) + ZERO
