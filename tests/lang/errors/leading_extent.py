import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 16, 16], pl.FP32]):
    t = pl.load(x, [0, 0, 0], [2, 16, 16])
