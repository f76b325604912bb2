import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    v = 0
    with pl.at(level=pl.Level.CORE_GROUP):
        v = 1
    w = v + 1
