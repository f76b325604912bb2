import tilewire.language as pl


@pl.function(level=pl.Level.HOST, type=pl.FunctionType.InCore)
def host(n: pl.Scalar[pl.INDEX]):
    v = n
