# --- dtype_as_type
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.FP32):
#             ^^^^^^^
# error: TW1032 a type is needed here, got a dtype
# help: write `pl.Scalar[pl.FP32]` for a scalar
    v = n

# --- incomplete_type
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor):
#             ^^^^^^^^^
# error: TW1031 incomplete type `pl.Tensor`
# help: write `pl.Tensor[[16, 256], pl.FP32]`
    t = pl.load(x)

# --- incomplete_window_type
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor):
#             ^^^^^^^^^^^^^^^^^^^^^
# error: TW1031 incomplete type `pld.DistributedTensor`
# help: write `pld.DistributedTensor[[16, 256], pl.FP32]`
    t = pl.load(w)

# --- no_such_dtype
import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.tile.create([16, 16], dtype=pl.FLOAT32)
#                                      ^^^^^^^^^^
# error: TW1008 `pl` has no `FLOAT32`
# help: write `pl.FP32`

# --- number_as_type
import tilewire.language as pl


@pl.jit.incore
def kernel(n: 4):
#             ^
# error: TW1032 a type is needed here, got an int
# help: write a type such as `pl.Tensor[[16, 256], pl.FP32]`
    v = n

# --- out_of_out
import tilewire.language as pl


@pl.jit.incore
def kernel(y: pl.Out[pl.InOut[pl.Tensor[[16], pl.FP32]]]):
#             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1037 `pl.Out[...]` takes a type without a direction
# help: write `pl.Out[pl.Tensor[[16, 256], pl.FP32]]`
    t = y

# --- out_of_two_types
import tilewire.language as pl


@pl.jit.incore
def kernel(y: pl.Out[pl.Tensor[[16], pl.FP32], pl.FP32]):
#             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1037 `pl.Out[...]` takes one type
# help: write `pl.Out[pl.Tensor[[16, 256], pl.FP32]]`
    t = y

# --- out_scalar
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Out[pl.Scalar[pl.INT32]]):
#             ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1038 a scalar parameter is always an input
# help: return the scalar, or write it to an element of a tensor
    v = n

# --- out_task_id
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Out[pl.TaskId]):
#          ^
# error: TW0442 `n` of `kernel` is pl.TaskId and can only be In, not Out
    v = n

# --- shape_without_dtype
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16]]):
#             ^^^^^^^^^^^^^^^^^^^
# error: TW1037 `pl.Tensor[...]` takes a shape and a dtype
# help: write `pl.Tensor[[16, 256], pl.FP32]`
    t = x

# --- string_as_type
import tilewire.language as pl


@pl.jit.incore
def kernel(n: "pl.Scalar"):
#             ^^^^^^^^^^^
# error: TW1032 a type is needed here, got a string
# help: write a type such as `pl.Tensor[[16, 256], pl.FP32]`
    v = n

# --- tensor_of_task_ids
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[4], pl.TASK_ID]):
#                            ^^^^^^^^^^
# error: TW1039 a tensor cannot hold pl.TASK_ID
# help: keep task ids in an array: `pl.array.create(n, pl.TASK_ID)`
    t = x

# --- tensor_too_large
# run: tilewire check %s
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[3037000500, 3037000500], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
#          ^
# error: TW2239 no machine can hold `x`: it is pl.Tensor[[3037000500, 3037000500], pl.FP32]
# help: make the tensor smaller, or use pl.dynamic() for the dimensions that a call decides
    y[...] = pl.load(x, [0, 0], [4, 8])

# --- tensor_with_memory
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32, pl.Mem.Vec]):
#                                          ^^^^^^^^^^
# error: TW1040 the third slot of the type takes a layout or a view, got a Mem
# help: write `pl.ND`, `pl.DN`, `pl.NZ` or `pl.TensorView(stride=, layout=)`
    t = x

# --- tile_extent_dynamic
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    t: pl.Tile[[n, 16], pl.FP32] = pl.tile.create([16, 16], dtype=pl.FP32)
#               ^ this is a scalar
# error: TW1034 an extent of a tile must be an int known when the program is read, got a scalar
# help: write a constant that covers the largest case, and pass the part in use to `pl.load` as `valid_shape`

# --- tile_extent_zero
import tilewire.language as pl


@pl.jit.incore
def kernel():
    t: pl.Tile[[0, 16], pl.FP32] = pl.tile.create([16, 16], dtype=pl.FP32)
#               ^
# error: TW1036 a dimension must be positive, got 0
# help: write a positive constant

# --- tile_of_rank_one
import tilewire.language as pl


@pl.jit.incore
def kernel():
    t: pl.Tile[[16], pl.FP32] = pl.tile.create([1, 16], dtype=pl.FP32)
#              ^^^^
# error: TW1041 a tile has two dimensions, got 1
# help: write `[rows, columns]`; for a vector, write `[1, n]`

# --- tile_with_layout
import tilewire.language as pl


@pl.jit.incore
def kernel():
    t: pl.Tile[[16, 16], pl.FP32, pl.ND] = pl.tile.create([16, 16], dtype=pl.FP32)
#                                 ^^^^^
# error: TW1040 the third slot of the type takes a memory space, got a Layout
# help: write `pl.Mem.Vec` or leave it out

# --- too_many_type_arguments
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32, pl.ND, 4]):
#             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1037 `pl.Tensor[...]` takes a shape, a dtype and a third slot
# help: write `pl.Tensor[[16, 256], pl.FP32]`
    t = x
