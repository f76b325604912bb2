import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    name = "a"
    for i in pl.range(n):
        name = "b"
    return name
