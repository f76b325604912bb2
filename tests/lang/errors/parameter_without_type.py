import tilewire.language as pl


@pl.jit.host
def host(x):
    pass
