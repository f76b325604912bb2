import tilewire.language as pl


from tilewire.language import *


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n
