import tilewire.language as pl


@pl.function(type=pl.FunctionType.InCore, attrs={"split": "rows"})
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n
