# --- matmul_accumulator
import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Tensor[[16, 16], pl.FP16]):
    t = pl.load(a)
    u = pl.matmul_acc(t, t, t)
#                     ^ `t` is pl.Tile[[16, 16], pl.FP16]
# error: TW0355 `pl.tile.matmul_acc` accumulates pl.FP16 in pl.FP32 of [16, 16], got pl.FP16 of [16, 16]

# --- matmul_bias_shape
import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Tensor[[16, 16], pl.FP32], c: pl.Tensor[[1, 32], pl.FP32]):
    t = pl.load(a)
    u = pl.matmul_bias(t, t, pl.load(c))
#                            ^^^^^^^^^^ `pl.load(c)` is pl.Tile[[1, 32], pl.FP32]
# error: TW0355 `pl.tile.matmul_bias` accumulates pl.FP32 in pl.FP32 of [1, 16], got pl.FP32 of [1, 32]

# --- matmul_dtypes
import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Tensor[[16, 16], pl.INT32]):
    t = pl.load(a)
    u = pl.matmul(t, t)
#                 ^ `t` is pl.Tile[[16, 16], pl.INT32]
# error: TW0354 `pl.tile.matmul` multiplies FP16, BF16, FP32 or INT8, got pl.INT32
# help: convert both operands: pl.cast(t, pl.FP32)

# --- matmul_inner
import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Tensor[[16, 32], pl.FP32], b: pl.Tensor[[16, 32], pl.FP32]):
    t = pl.matmul(pl.load(a), pl.load(b))
#                             ^^^^^^^^^^ `pl.load(b)` is pl.Tile[[16, 32], pl.FP32]
# error: TW0353 shape mismatch: `pl.tile.matmul` multiplies [16, 32] by [16, 32]: the inner extents 32 and 16 differ
# help: did you mean `b_trans=True`?

# --- matmul_result
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)
    u = pl.matmul(t, t, out_dtype=pl.INT8)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0356 `pl.tile.matmul` of pl.FP32 produces pl.FP32, pl.FP16 or pl.BF16, not pl.INT8
