import tilewire.language as pl


@pl.function(type=pl.FunctionType.InCore, optimizations=[pl.split(1)])
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)
