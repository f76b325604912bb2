import math

import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = math.sqrt(-1.0) + n
