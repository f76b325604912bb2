import tilewire.language as pl


import functools


@functools.cache
@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n
