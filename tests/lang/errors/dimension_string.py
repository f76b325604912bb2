import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[["rows", 16], pl.FP32]):
    t = x
