import tilewire.language as pl


@pl.function(type=pl.FunctionType.InCore, attrs={"splt": 1})
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n
