import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    type Row = pl.Tensor[[16], pl.FP32]
