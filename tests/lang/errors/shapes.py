# --- no_shaped_operand
import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.tile.add(1.0, 2.0)
#       ^^^^^^^^^^^^^^^^^^^^^
# error: TW0330 `pl.tile.add` needs a tile among its operands, got only scalars

# --- reshape_count
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.reshape(pl.load(x), [8, 8])
#                              ^^^^^^ [16, 16] to [8, 8]
# error: TW0341 shape mismatch: `pl.tile.reshape` cannot turn 256 elements into 64

# --- reshape_inferred
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.reshape(x, [-1, 7])
#                     ^^^^^^^
# error: TW0341 shape mismatch: `pl.tensor.reshape` cannot turn 256 elements into a multiple of 7

# --- reshape_strided
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.tensor.reshape(pl.tensor.transpose(x), [256])
#                         ^^^^^^^^^^^^^^^^^^^^^^ `pl.tensor.transpose(x)` is pl.Tensor[[16, 16], pl.FP32, pl.TensorView(stride=[1, 16])]
# error: TW0342 `pl.tensor.reshape` needs a dense tensor, got one with strides
# help: copy it first: pl.tensor.assemble into a new tensor

# --- shape_mismatch
import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Tensor[[16, 16], pl.FP32], b: pl.Tensor[[16, 32], pl.FP32]):
    t = pl.load(a) + pl.load(b)
#                    ^^^^^^^^^^ `pl.load(b)` is pl.Tile[[16, 32], pl.FP32]
# error: TW0331 shape mismatch: `pl.tile.add` needs equal shapes, got [16, 16] and [16, 32]

# --- shape_mismatch_put
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 32], pl.FP32], x: pl.Tensor[[16, 16], pl.FP32]):
    w = pld.tensor.put(w, 0, x)
#                            ^ `x` is pl.Tensor[[16, 16], pl.FP32]
# error: TW0331 shape mismatch: `pld.tensor.put` needs equal shapes, got [16, 32] and [16, 16]
