import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    total = 0.0
    for i in pl.range(4):
        total = pl.load(x)
    return total
