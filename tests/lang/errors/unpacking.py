# --- cannot_unpack
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    a, b = x
#          ^
# error: TW1060 cannot unpack a tensor into 2 names
# help: write a tuple or list with one item per name

# --- cannot_unpack_scalar
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    a, b = n
#          ^
# error: TW1060 cannot unpack a scalar into 2 names
# help: write a tuple or list with one item per name

# --- module_constant_unpacked
import tilewire.language as pl

M, N = 16
#      ^^
# error: TW1060 cannot unpack an int into 2 names
# help: write a tuple or list with one item per name


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + N

# --- unpack_count
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    a, b = n, 1, 2
#   ^^^^
# error: TW1061 cannot unpack 3 values into 2 names
# help: write one name per value; use `_` for values that are not used

# --- unpack_count_call
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 32], pl.FP32]):
    a, b, c = pl.sort32(pl.load(x))
#   ^^^^^^^
# error: TW1061 cannot unpack 2 values into 3 names
# help: write one name per value; use `_` for values that are not used
