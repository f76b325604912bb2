import tilewire.language as pl


@pl.jit
def other(x: pl.Tensor[[16, 16], pl.FP32]):
    pass


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    other(x)
