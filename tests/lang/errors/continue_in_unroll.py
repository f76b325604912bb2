import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.unroll(4):
        if n > 0:
            continue
