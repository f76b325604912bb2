# --- atomic_dtype
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.INT8], y: pl.Out[pl.Tensor[[16, 16], pl.INT8]]):
    y = pl.store(pl.load(x), [0, 0], y, atomic=pld.AtomicType.Add)
#                ^^^^^^^^^^ `pl.load(x)` is pl.Tile[[16, 16], pl.INT8]
# error: TW0375 an atomic add does not work on pl.INT8
# help: use FP32, FP16, BF16 or an integer type of 16 bits or more

# --- atomic_dtype_put
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.BOOL], x: pl.Tensor[[16, 16], pl.BOOL]):
    w = pld.tensor.put(w, 0, x, atomic=pld.AtomicType.Add)
#                      ^ `w` is pld.DistributedTensor[[16, 16], pl.BOOL]
# error: TW0375 an atomic add does not work on pl.BOOL
# help: use FP32, FP16, BF16 or an integer type of 16 bits or more

# --- cast_target
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = pl.cast(n, pl.TASK_ID)
#               ^ `n` is pl.Scalar[pl.INDEX]
# error: TW0396 a scalar of pl.INDEX cannot be cast to pl.TASK_ID

# --- dtype_mismatch
import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Tensor[[16, 16], pl.FP32], b: pl.Tensor[[16, 16], pl.FP16]):
    t = pl.load(a) + pl.load(b)
#                    ^^^^^^^^^^ `pl.load(b)` is pl.Tile[[16, 16], pl.FP16]
# error: TW0320 type mismatch: `pl.tile.add` mixes pl.FP32 and pl.FP16
# help: convert one of them: pl.cast(pl.load(b), pl.FP32)

# --- dtype_mismatch_put
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], x: pl.Tensor[[16, 16], pl.FP16]):
    w = pld.tensor.put(w, 0, x)
#                            ^ `x` is pl.Tensor[[16, 16], pl.FP16]
# error: TW0320 type mismatch: `pld.tensor.put` mixes pl.FP32 and pl.FP16
# help: convert one of them: pl.cast(x, pl.FP32)

# --- dtype_mismatch_scalar
import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Tensor[[16, 16], pl.FP16], f: pl.Scalar[pl.FP32]):
    t = pl.load(a) * f
#                    ^ `f` is pl.Scalar[pl.FP32]
# error: TW0320 type mismatch: `pl.tile.mul` mixes pl.FP16 and pl.FP32
# help: convert one of them: pl.cast(f, pl.FP16)

# --- dtype_mismatch_store
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP16], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)
#                ^^^^^^^^^^ `pl.load(x)` is pl.Tile[[16, 16], pl.FP16]
# error: TW0320 type mismatch: `pl.tile.store` mixes pl.FP32 and pl.FP16
# help: convert one of them: pl.cast(pl.load(x), pl.FP32)

# --- dtype_not_allowed
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.INT32]):
    t = pl.exp(pl.load(x))
#              ^^^^^^^^^^ `pl.load(x)` is pl.Tile[[16, 16], pl.INT32]
# error: TW0321 `pl.tile.exp` does not work on pl.INT32
# help: it works on floats: convert the operand, pl.cast(pl.load(x), pl.FP32)

# --- dtype_not_allowed_shift
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x) << 2
#       ^^^^^^^^^^ `pl.load(x)` is pl.Tile[[16, 16], pl.FP32]
# error: TW0321 `pl.tile.shl` does not work on pl.FP32
# help: it works on integers: convert the operand, pl.cast(pl.load(x), pl.INT32)

# --- help_of_a_nested_operand
import tilewire.language as pl


@pl.jit.incore
def k(x: pl.Tensor[[4, 8], pl.FP32], h: pl.Tensor[[4, 8], pl.FP16], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    y = pl.store(pl.load(x) + pl.load(h), [0, 0], y)
#                             ^^^^^^^^^^ `pl.load(h)` is pl.Tile[[4, 8], pl.FP16]
# error: TW0320 type mismatch: `pl.tile.add` mixes pl.FP32 and pl.FP16
# help: convert one of them: pl.cast(pl.load(h), pl.FP32)
    y = pl.store(pl.load(x) * pl.cast(pl.load(x, [0, 0], [4, 8]) + 1.0, target_type=pl.FP16), [0, 0], y)
#                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `pl.cast(pl.load(x, [0, 0], [4, 8]) + 1.0, target...` is pl.Tile[[4, 8], pl.FP16]
# error: TW0320 type mismatch: `pl.tile.mul` mixes pl.FP32 and pl.FP16
# help: convert one of them: pl.cast(pl.cast(pl.load(x, [0, 0], [4, 8]) + 1.0, target..., pl.FP32)

# --- index_dtype
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)
    u = pl.gather(t, t)
#                    ^ `t` is pl.Tile[[16, 16], pl.FP32]
# error: TW0358 `pl.tile.gather` needs INT32, UINT32 or INT64 indices, got pl.FP32
# help: convert it: pl.cast(t, pl.INT32)

# --- index_shape
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], i: pl.Tensor[[8, 4], pl.INT32]):
    t = pl.gather(pl.load(x), pl.load(i))
#                             ^^^^^^^^^^ `pl.load(i)` is pl.Tile[[8, 4], pl.INT32]
# error: TW0359 shape mismatch: `pl.tile.gather` needs `index` to match `x` in dimension 0, got 8 and 16

# --- mask_not_bool
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)
    u = pl.sel(t, t, t)
#              ^ `t` is pl.Tile[[16, 16], pl.FP32]
# error: TW0349 `pl.tile.sel` needs a BOOL mask, got pl.FP32
# help: make one with a comparison: pl.cmp(x, 0, "ne")

# --- merge_block
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 128], pl.FP32], i: pl.Tensor[[16, 128], pl.INT32]):
    t, j = pl.mrgsort(pl.load(x), pl.load(i), block_len=33)
#                                                       ^^
# error: TW0361 the length of the sorted runs must be 32, 128, 512, ... below the row, got 33

# --- put_three_mistakes
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], x: pl.Tensor[[16, 16], pl.FP16]):
    w = pld.tensor.put(w, -1, x, chunk_rows=-1)
#                             ^ `x` is pl.Tensor[[16, 16], pl.FP16]
# error: TW0320 type mismatch: `pld.tensor.put` mixes pl.FP32 and pl.FP16
# help: convert one of them: pl.cast(x, pl.FP32)
#                         ^^
# error: TW0338 invalid rank: `pld.tensor.put` addresses rank -1; ranks count from 0
# help: take it modulo the number of ranks: (pld.rank(ctx) - 1) % pld.nranks(ctx)
#                                           ^^
# error: TW0377 `chunk_rows` of `pld.tensor.put` must not be negative, got -1
# help: pass 0 to let the compiler choose the size of a chunk

# --- sort_width
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 40], pl.FP32]):
    t, i = pl.sort32(pl.load(x))
#                    ^^^^^^^^^^ `pl.load(x)` is pl.Tile[[16, 40], pl.FP32]
# error: TW0360 `pl.tile.sort32` needs a multiple of 32 columns, got 40
# help: load with a wider shape and fill up: pl.fillpad(x, pad=pl.PadValue.Min)
