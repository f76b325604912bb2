# --- array_dtype
import tilewire.language as pl


@pl.jit.incore
def kernel():
    a = pl.array.create(4, pl.FP32)
#                          ^^^^^^^
# error: TW0363 an array holds integers, bools or task ids, not pl.FP32
# help: keep floats in a tile of one row: pl.tile.create([1, n], dtype=pl.FP32)

# --- array_dtype_annotation
import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Array[4, pl.FP32]):
#                         ^^^^^^^
# error: TW0363 an array holds integers, bools or task ids, not pl.FP32
# help: use an integer type, pl.BOOL or pl.TASK_ID; keep floats in a tile
    v = a[0]

# --- array_extent
import tilewire.language as pl


@pl.jit.incore
def kernel():
    a = pl.array.create(0, pl.INT32)
#                       ^
# error: TW0362 an array needs a positive constant number of elements, got 0

# --- array_index
import tilewire.language as pl


@pl.jit.incore
def kernel():
    a = pl.array.create(4, pl.INT32)
    v = a[4]
#         ^
# error: TW0364 out of bounds: element 4 of an array of 4
# help: use an index from 0 to 3

# --- array_length_zero
import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Array[0, pl.INT32]):
#                      ^
# error: TW1036 the length of an array must be positive, got 0
# help: write `pl.Array[8, pl.INT32]`
    v = a[0]

# --- array_subscript
import tilewire.language as pl


@pl.jit.incore
def kernel():
    a = pl.array.create(4, pl.INT32)
    v = a[0:2]
#       ^^^^^^
# error: TW1044 an array takes one scalar index
# help: read the elements one by one: `a[i]`

# --- array_value
import tilewire.language as pl


@pl.jit.incore
def kernel(f: pl.Scalar[pl.FP32]):
    a = pl.array.create(4, pl.INT32)
    a[0] = f
#   ^^^^^^^^ `f` is pl.Scalar[pl.FP32]
# error: TW0365 type mismatch: an array of pl.INT32 cannot hold pl.Scalar[pl.FP32]
# help: convert it: pl.cast(f, pl.INT32)

# --- element_dtype
import tilewire.language as pl


@pl.jit.incore
def kernel(y: pl.Out[pl.Tensor[[16, 16], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    y = pl.write(y, [0, 0], n)
#                           ^ `n` is pl.Scalar[pl.INDEX]
# error: TW0366 type mismatch: `pl.tensor.write` writes pl.FP32, got a value of pl.INDEX
# help: convert it: pl.cast(n, pl.FP32)
