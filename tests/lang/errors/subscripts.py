# --- backward_slice
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = x[8:4]
#         ^^^
# error: TW1052 empty slice
# help: write `start:stop` with stop above start

# --- empty_slice
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = x[4:4]
#         ^^^
# error: TW1052 empty slice
# help: write `start:stop` with stop above start

# --- index_out_of_range
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = x[16]
#         ^^
# error: TW1051 out of bounds: 16 is outside dimension 0 of size 16
# help: use a subscript from 0 to 15, or -1 for the last

# --- index_out_of_range_negative
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = x[-17]
#         ^^^
# error: TW1051 out of bounds: -17 is outside dimension 0 of size 16
# help: use a subscript from 0 to 15, or -1 for the last

# --- list_index
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = [1, 2][2] + n
#       ^^^^^^^^^
# error: TW1046 index out of range: 2 in the list of 2
# help: use an index from 0 to 1

# --- list_index_at_run_time
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = [1, 2, 3][n]
#                 ^ this is a scalar
# error: TW1018 the index of a list must be an int known when the program is read, got a scalar
# help: write a constant; for an index that is computed at run time, use a tensor or a pl.array

# --- no_such_key
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = {"a": 1}["b"] + n
#       ^^^^^^^^^^^^^
# error: TW1047 the dict has no key "b"

# --- not_indexable
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n[0]
#       ^^^^
# error: TW1045 cannot index a scalar
# help: index a tensor, tile, array, tuple or list

# --- not_indexable_int
import tilewire.language as pl


@pl.jit.incore
def kernel():
    v = 3
    w = v[0]
#       ^^^^
# error: TW1045 cannot index an int
# help: index a tensor, tile, array, tuple or list

# --- slice_out_of_range
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = x[8:20]
#           ^^
# error: TW1051 out of bounds: 20 is outside dimension 0 of size 16
# help: use a bound from 0 to 16: slices are not clipped

# --- slice_step
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = x[0:8:2]
#             ^
# error: TW1048 slices with a step are not part of the language
# help: load the elements one by one, or use pl.gather

# --- subscript_bool
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = x[True]
#         ^^^^ this is True
# error: TW1049 a subscript must be an integer, got a bool

# --- subscript_float
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = x[1.5]
#         ^^^ this is 1.5
# error: TW1049 a subscript must be an integer, got a float

# --- subscript_string
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = x["row"]
#         ^^^^^ this is "row"
# error: TW1049 a subscript must be an integer, got a string

# --- tensor_part_rank
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.tensor.assemble(y, x, [0, 0])
#                             ^ `x` is pl.Tensor[[16], pl.FP32]
# error: TW0397 shape mismatch: `pl.tensor.assemble` writes a part of rank 1 into a tensor of rank 2
# help: reshape the part to the rank of the tensor

# --- tile_scalar_index
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)
    u = t[0, :]
#       ^^^^^^^
# error: TW1053 a scalar subscript would drop a dimension of a tile
# help: write `t[i:i+1, :]`: a tile always has two dimensions

# --- tile_slice_at_run_time
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], n: pl.Scalar[pl.INDEX]):
    t = pl.load(x)
    u = t[0:n, :]
#       ^^^^^^^^^
# error: TW0333 an extent of a tile must be a constant, got `n`
# help: use a constant that covers the largest case, and pass the part in use as `valid_shape`

# --- too_many_subscripts
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    v = x[0, 0, 0]
#       ^^^^^^^^^^
# error: TW1050 the value has 2 dimensions, got 3 subscripts
# help: write at most one subscript per dimension; missing ones mean `:`

# --- tuple_index
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 32], pl.FP32]):
    both = pl.sort32(pl.load(x))
    t = both[2]
#       ^^^^^^^
# error: TW1043 the tuple has 2 elements and takes one constant index
# help: use an index from 0 to 1

# --- tuple_index_at_run_time
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 32], pl.FP32], n: pl.Scalar[pl.INDEX]):
    both = pl.sort32(pl.load(x))
    t = both[n]
#            ^ this is a scalar
# error: TW1018 the index of a tuple must be an int known when the program is read, got a scalar
# help: write a constant; for an index that is computed at run time, use a tensor or a pl.array

# --- tuple_index_slice
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 32], pl.FP32]):
    both = pl.sort32(pl.load(x))
    t = both[0:1]
#       ^^^^^^^^^
# error: TW1043 the tuple has 2 elements and takes one constant index
# help: take one element, `t[0]`, or unpack it: `a, b = t`
