import tilewire.language as pl


NR = pl.dynamic(4)


@pl.jit.incore
def kernel(x: pl.Tensor[[NR, 16], pl.FP32]):
    t = x
