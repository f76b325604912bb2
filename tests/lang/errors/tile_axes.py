# --- axis_out_of_range
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    v = pl.tensor.dim(x, 5)
#                        ^
# error: TW0343 `pl.tensor.dim` has no axis 5 in 2 dimensions
# help: use an axis from 0 to 1, or -1 for the last

# --- batch_mismatch
import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Tensor[[2, 16, 16], pl.FP32], b: pl.Tensor[[4, 16, 16], pl.FP32]):
    t = pl.batch_matmul(a, b)
#                          ^ `b` is pl.Tensor[[4, 16, 16], pl.FP32]
# error: TW0357 shape mismatch: `pl.tensor.batch_matmul` needs equal batch dimensions, got [2] and [4]

# --- drop_not_one
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.tensor.slice(x, [2, 16], [0, 0], drop_dims=[0])
#                                                     ^^^
# error: TW0347 dimension 0 has extent 2 and cannot be dropped

# --- drop_twice
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.tensor.slice(x, [1, 16], [0, 0], drop_dims=[0, 0])
#                                                     ^^^^^^
# error: TW0348 dimension 0 is dropped twice

# --- expand_vector
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 32], pl.FP32], v: pl.Tensor[[1, 32], pl.FP32]):
    t = pl.row_expand_add(pl.load(x), pl.load(v))
#                                     ^^^^^^^^^^ `pl.load(v)` is pl.Tile[[1, 32], pl.FP32]
# error: TW0352 shape mismatch: `pl.tile.row_expand_add` needs a column of shape [16, 1] against [16, 32], got [1, 32]

# --- rank_not_equal
import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Tensor[[4, 16, 16], pl.FP32], b: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.tensor.matmul(a, b)
#                        ^ `a` is pl.Tensor[[4, 16, 16], pl.FP32]
# error: TW0345 `pl.tensor.matmul` needs a tensor of rank 2, got rank 3
# help: use pl.batch_matmul for tensors of a higher rank

# --- rank_too_small
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16], pl.FP32]):
    t = pl.tensor.row_sum(x)
#                         ^ `x` is pl.Tensor[[16], pl.FP32]
# error: TW0344 `pl.tensor.row_sum` needs at least 2 dimensions, got 1
# help: reshape it to two dimensions first: pl.reshape(x, [1, n])
