import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIV)
def vector():
    b = pl.reserve_buffer(name="b", size=-1)
