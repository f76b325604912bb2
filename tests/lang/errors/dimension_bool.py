import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[True, 16], pl.FP32]):
    t = x
