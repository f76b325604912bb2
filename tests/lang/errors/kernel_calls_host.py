import tilewire.language as pl


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32]):
    pass


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    host(x)
