import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor):
    t = pl.load(x)
