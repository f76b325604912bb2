import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x)
