# --- assign_attribute
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    x.dtype = pl.FP16
#   ^^^^^^^
# error: TW1054 cannot assign to this expression
# help: assign to a name, to names in a tuple, or to a subscript of a name

# --- assign_nested_subscript
import tilewire.language as pl


@pl.jit.incore
def kernel(y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y[0][1] = 1.0
#   ^^^^^^^
# error: TW1054 cannot assign to this expression
# help: write to a name: `part = x[0]`, then `part[1] = v`

# --- assign_to_call
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    max(n, 1) = 2
#   ^^^^^^^^^
# error: TW0120 cannot assign to a call
# help: assign to a name, to `x[...]` or to several of these; to compare, write `==`

# --- assign_to_literal
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v, 1 = n, n
#      ^
# error: TW0120 cannot assign to a number
# help: assign to a name, to `x[...]` or to several of these; to compare, write `==`

# --- augment_tuple
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    a, b += n
#   ^^^^
# error: TW0120 cannot assign to a tuple
# help: assign to a name, to `x[...]` or to several of these; to compare, write `==`

# --- keyword_assigned
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    class = n
#   ^^^^^ expected a name
# error: TW0121 `class` is a keyword of Python and cannot be a name
# help: write `class_`
    with = class
#   ^^^^ expected a name
# error: TW0121 `with` is a keyword of Python and cannot be a name
# help: write `with_`
    if = 3
#   ^^ expected a name
# error: TW0121 `if` is a keyword of Python and cannot be a name
# help: write `if_`
    v = n + 1

# --- not_assignable
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = 3
    v[0] = n
#   ^^^^
# error: TW1055 cannot assign to an element of an int
# help: write to elements of tensors, tiles and arrays only

# --- not_assignable_scalar
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    n[0] = 1
#   ^^^^
# error: TW1055 cannot assign to an element of a scalar
# help: write to elements of tensors, tiles and arrays only

# --- not_writable_value
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(y: pl.Out[pl.Tensor[[16, 16], pl.FP32]], w: pld.DistributedTensor[[16, 16], pl.FP32]):
    y[0:4] = pld.get_comm_ctx(w)
#            ^^^^^^^^^^^^^^^^^^^
# error: TW1056 cannot write pld.CommCtx to a region
# help: write a tile, a tensor or a scalar

# --- python_attribute_assignment
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    n.rank = 3
#   ^^^^^^
# error: TW1054 cannot assign to this expression
# help: assign to a name, to names in a tuple, or to a subscript of a name

# --- region_shape
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y[0:8, :] = pl.load(x)
#               ^^^^^^^^^^
# error: TW1057 shape mismatch: a value of shape [16, 16] does not fit a region of shape [8, 16]
# help: write to a region of the value's shape, or write a part of the value

# --- region_shape_tensor
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y[0] = x
#          ^
# error: TW1057 shape mismatch: a value of shape [16, 16] does not fit a region of shape [16]
# help: write to a region of the value's shape, or write a part of the value

# --- tile_into_vector
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[256], pl.FP32]]):
    y = pl.store(pl.load(x), [0], y)
#                ^^^^^^^^^^ `pl.load(x)` is pl.Tile[[16, 16], pl.FP32]
# error: TW0398 `pl.tile.store` needs a tile of one row for a tensor of rank 1, got 16 rows
# help: reshape the tile to one row first: pl.tile.reshape(t, [1, n])
