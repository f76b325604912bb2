import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out):
    t = pl.load(x)


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    kernel(x, 3)
