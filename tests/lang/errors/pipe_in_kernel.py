import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    pl.tpush_to_aiv(pl.load(x), split=0)
