import tilewire.language as pl


import functools


@pl.jit.incore
@functools.cache
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n
