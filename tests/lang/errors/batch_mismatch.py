import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Tensor[[2, 16, 16], pl.FP32], b: pl.Tensor[[4, 16, 16], pl.FP32]):
    t = pl.batch_matmul(a, b)
