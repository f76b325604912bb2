import tilewire.language as pl


@pl.jit.incore
def kernel():
    t: pl.Tensor[[16], pl.FP32] = pl.tpop_from_aic(split=0)
