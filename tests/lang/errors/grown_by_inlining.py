import tilewire.language as pl


@pl.jit.inline
def more(x):
    return x + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(more(n))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
    return v
