import tilewire.language as pl


@pl.function(pl.FunctionType.InCore)
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n
