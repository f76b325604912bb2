import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIV)
def vector():
    b = pl.reserve_buffer(name="", size=4096)
