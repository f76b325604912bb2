# --- extent_not_constant
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], n: pl.Scalar[pl.INDEX]):
    t = pl.load(x, [0, 0], [n, 16])
#                          ^^^^^^^
# error: TW0333 an extent of a tile must be a constant, got `n`
# help: use a constant that covers the largest case, and pass the part in use as `valid_shape`

# --- extent_not_positive
import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.tile.create([0, 16], dtype=pl.FP32)
#                      ^^^^^^^
# error: TW0334 an extent of a tile must be positive, got 0

# --- extent_not_positive_tensor
import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.create_tensor([16, -1], dtype=pl.FP32)
#                        ^^^^^^^^
# error: TW0334 an extent of a tensor must be positive, got -1

# --- leading_extent
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 16, 16], pl.FP32]):
    t = pl.load(x, [0, 0, 0], [2, 16, 16])
#                             ^^^^^^^^^^^
# error: TW0335 all but the last two extents of a tile must be 1, got [2, 16, 16]
# help: loop over the leading dimensions, or reshape the tensor to two

# --- storage_dtype
import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.tile.create([16, 16], dtype=pl.TASK_ID)
#                                      ^^^^^^^^^^
# error: TW0367 a tile cannot hold pl.TASK_ID
# help: keep task ids in an array: pl.array.create(n, pl.TASK_ID)

# --- valid_shape_negative
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.set_validshape(pl.load(x), [-4, 16])
#                                     ^^^^^^^^
# error: TW0334 an extent of a tile must be positive, got -4

# --- valid_shape_too_large
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0, 0], [16, 16], valid_shape=[32, 16])
#                                                ^^^^^^^^
# error: TW0339 the valid extent 32 is larger than the extent 16 of dimension 0
