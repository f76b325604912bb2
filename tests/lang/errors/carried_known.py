import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    name = n
    for i in pl.range(4):
        name = "b"
    return name
