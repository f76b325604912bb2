# --- fold_long_list
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = [0] * 2000000
#       ^^^^^^^^^^^^^
# error: TW1017 invalid constant expression: the list is too long

# --- fold_overflow
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + 2 ** 70
#           ^^^^^^^
# error: TW1017 invalid constant expression: the result does not fit 64 bits

# --- fold_square_root
import math

import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = math.sqrt(-1.0) + n
#       ^^^^^^^^^^^^^^^
# error: TW1017 invalid constant expression: the square root of a negative number
