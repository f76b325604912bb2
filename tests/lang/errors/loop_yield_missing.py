import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i, (a,) in pl.range(4, init_values=(n,)):
        b = a
