# --- assignment_in_condition
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    if n = 1:
#        ^ an assignment
# error: TW0119 `=` in a condition
# help: write `==` to compare
        v = n

# --- assignment_in_condition_of_tile
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], n: pl.Scalar[pl.INDEX]):
    t = pl.load(x)
    if n = t:
#        ^ an assignment
# error: TW0119 `=` in a condition
# help: write `==` to compare
        v = n
    while t = 3:
#           ^ an assignment
# error: TW0119 `=` in a condition
# help: write `==` to compare
        n = n + 1

# --- branch_types
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX], f: pl.Scalar[pl.FP32]):
    if n > 0:
        v = pl.yield_(n)
#       ^^^^^^^^^^^^^^^^
# note: the other branch
    else:
        v = pl.yield_(f)
#       ^^^^^^^^^^^^^^^^
# error: TW1079 type mismatch: `v` is pl.Scalar[pl.INDEX] in one branch and pl.Scalar[pl.FP32] in the other
# help: make both the same type with `pl.cast` or `pl.const(value, dtype)`

# --- comparison_of_tiles_as_condition
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    if pl.load(x) > 0:
#      ^^^^^^^^^^^^^^ this is pl.Tile[[16, 16], pl.BOOL]
# error: TW1075 a condition must be a BOOL or integer scalar, got a tile
# help: choose element by element: pl.sel(mask, a, b)
        v = 1

# --- conditional_types
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = 1 if n > 0 else 2.0
#       ^^^^^^^^^^^^^^^^^^^
# error: TW1024 type mismatch: the two sides of the conditional expression are pl.Scalar[pl.INDEX] and pl.Scalar[pl.FP32]
# help: make both sides the same type with `pl.cast` or `pl.const(value, dtype)`

# --- float_as_condition
import tilewire.language as pl


@pl.jit.incore
def kernel(f: pl.Scalar[pl.FP32]):
    while f:
#         ^ this is pl.Scalar[pl.FP32]
# error: TW1075 a condition must be a BOOL or integer scalar, got a scalar
# help: compare it: `f != 0`
        v = 1

# --- logic_needs_bool
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = not n
#           ^ `n` is pl.Scalar[pl.INDEX]
# error: TW0326 `not x` needs BOOL operands, got pl.INDEX
# help: compare it: n != 0

# --- tile_as_condition
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    if pl.load(x):
#      ^^^^^^^^^^ this is pl.Tile[[16, 16], pl.FP32]
# error: TW1075 a condition must be a BOOL or integer scalar, got a tile
# help: choose element by element: pl.sel(mask, a, b)
        v = 1

# --- element_as_a_condition
import tilewire.language as pl


@pl.jit.incore
def k(x: pl.Tensor[[16, 64], pl.FP32]):
    t = pl.load(x)
    n = len(t)
#       ^^^^^^ the argument is a tile
# error: TW1016 `len` does not accept these arguments
# help: write `x.shape[0]` for the number of rows
    while pl.read(x, [0, 0]):
#         ^^^^^^^^^^^^^^^^^^ this is pl.Scalar[pl.FP32]
# error: TW1075 a condition must be a BOOL or integer scalar, got a scalar
# help: compare it: `pl.read(x, [0, 0]) != 0`
        t = t + 1.0
