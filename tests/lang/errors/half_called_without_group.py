import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    cube(x)
