import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Tensor[[4, 16, 16], pl.FP32], b: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.tensor.matmul(a, b)
