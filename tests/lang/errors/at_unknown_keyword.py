import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP, name="a"):
        t = pl.load(x)
