import tilewire.language as pl


@pl.function(type="InCore")
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n
