import tilewire.language as pl


@pl.function(level=pl.Level.HOST, role=pl.Role.Worker)
def host(n: pl.Scalar[pl.INDEX]):
    v = n
