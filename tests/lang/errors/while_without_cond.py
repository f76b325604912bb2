import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for (a,) in pl.while_(init_values=(n,)):
        b = pl.yield_(a)
