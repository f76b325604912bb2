import tilewire.language as pl


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32]):
    v = x[0, 0]
