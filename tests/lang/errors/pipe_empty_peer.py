import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube():
    b = pl.import_peer_buffer(name="b", peer_func="")
