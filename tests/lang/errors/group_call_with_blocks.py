import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)


@pl.function(type=pl.FunctionType.Group)
def pair(x: pl.Tensor[[16, 16], pl.FP32]):
    cube(x, blocks=2)
