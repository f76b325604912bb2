import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.at(pl.Level.CORE_GROUP):
        t = pl.load(x)
