import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, HIDDEN], pl.FP32]):
    t = x
