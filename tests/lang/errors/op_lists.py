# --- concat_empty
import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.tile.concat([])
#                      ^^
# error: TW0346 `pl.tile.concat` needs at least one part

# --- concat_mixed
import tilewire.language as pl


@pl.jit.incore
def k(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):
    y[...] = pl.concat([x, pl.load(x)])
#                          ^^^^^^^^^^ `pl.load(x)` is pl.Tile[[4, 8], pl.FP32]
# error: TW0306 `pl.tensor.concat` needs a tensor for `parts`, got a tile
# help: pass a tensor; pl.store(tile, offsets, tensor) writes a tile to one

# --- concat_not_a_list
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):
    a = pl.load(x)
    t = pl.concat(a, pl.load(x))
#                 ^
# error: TW0309 `pl.tile.concat` needs a list for `parts`, got a tile
# help: write [a, pl.load(x)]
    u = pl.concat(a)
#                 ^
# error: TW0309 `pl.tile.concat` needs a list for `parts`, got a tile
# help: write [a]
    v = pl.concat([a, a], pl.load(x))
#                         ^^^^^^^^^^ `pl.load(x)` is pl.Tile[[4, 8], pl.FP32]
# error: TW0313 `pl.tile.concat` needs a value for `axis` that is known when the program is read

# --- concat_shapes
import tilewire.language as pl


@pl.jit.incore
def kernel(a: pl.Tensor[[16, 16], pl.FP32], b: pl.Tensor[[16, 32], pl.FP32]):
    t = pl.concat([pl.load(a), pl.load(b)])
#                 ^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0331 shape mismatch: `pl.tile.concat` needs equal shapes, got [16, 16] and [16, 32]
# help: the parts may differ in dimension 0 only

# --- load_all_or_none
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0, 0])
#       ^^^^^^^^^^^^^^^^^^
# error: TW0340 `pl.tile.load` needs `offsets` and `shape` all together or not at all
# help: write pl.load(x) to load a whole tensor, pl.load(x, offsets, shape) to load a part

# --- op_list_expected
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    v = pl.read(x, 3)
#                  ^
# error: TW0309 `pl.tensor.read` needs a list for `idx`, got an int
# help: write [3, 0]

# --- op_list_expected_for_offsets
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4], pl.INT32]):
    pld.system.wait(s, 0, 1)
#                      ^
# error: TW0309 `pld.system.wait` needs a list for `offsets`, got an int
# help: write [0]

# --- op_list_unexpected
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.exp([pl.load(x)])
#              ^^^^^^^^^^^^
# error: TW0310 `pl.tile.exp` needs one value for `x`, got a list
# help: pass a tile

# --- put_all_or_none
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], x: pl.Tensor[[16, 16], pl.FP32]):
    w = pld.tensor.put(w, 0, x, [0, 0], [0, 0])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0340 `pld.tensor.put` needs `dst_offsets`, `src_offsets` and `shape` all together or not at all
# help: leave all three out to transfer whole tensors of equal shape
