import tilewire.language as pl


@pl.jit.incore
def k(x: pl.Tensor[[4, 8], pl.FP32], h: pl.Tensor[[4, 8], pl.FP16], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    y = pl.store(pl.load(x) + pl.load(h), [0, 0], y)
    y = pl.store(pl.load(x) * pl.cast(pl.load(x, [0, 0], [4, 8]) + 1.0, target_type=pl.FP16), [0, 0], y)
