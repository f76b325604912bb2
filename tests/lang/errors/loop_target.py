import tilewire.language as pl


@pl.jit.incore
def kernel(y: pl.Out[pl.Tensor[[16], pl.FP32]]):
    for y[0] in pl.range(4):
        v = 1
