import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 32], pl.FP32], v: pl.Tensor[[1, 32], pl.FP32]):
    t = pl.row_expand_add(pl.load(x), pl.load(v))
