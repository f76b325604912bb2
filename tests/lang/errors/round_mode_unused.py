import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.INT32]):
    t = pl.cast(pl.load(x), pl.INT64, mode="floor")
