import tilewire.language as pl


import numpy as np


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + np.pi
