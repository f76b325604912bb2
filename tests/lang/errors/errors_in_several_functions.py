import tilewire.language as pl


@pl.jit.incore
def first(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0], [16, 16])


@pl.jit.incore
def second(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0, 0], [32, 16])


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    first(x)
    second(x, x)
