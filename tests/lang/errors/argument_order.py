# --- notify_peer_after_offsets
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def k(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], peer: pl.Scalar[pl.INT32]):
    pld.system.notify(s, [0, 0], peer, 1)
#                        ^^^^^^
# error: TW0300 the arguments of `pld.system.notify` are in the wrong order
# help: write pld.system.notify(s, peer, [0, 0], 1)

# --- put_window_last
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def k(
    x: pl.Tensor[[16, 16], pl.FP32],
    w: pl.InOut[pld.DistributedTensor[[16, 16], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]],
):
    pld.tensor.put(x, 1, w, signal=s, at=[0, 0])
#                  ^ `x` is pl.Tensor[[16, 16], pl.FP32]
# error: TW0300 the arguments of `pld.tensor.put` are in the wrong order
# help: write pld.tensor.put(w, 1, x, signal=s, at=[0, 0])

# --- store_without_offsets
import tilewire.language as pl


@pl.jit.incore
def k(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(y, pl.load(x))
#                ^ `y` is pl.Tensor[[16, 16], pl.FP32]
# error: TW0300 the arguments of `pl.tile.store` are in the wrong order
# help: write pl.store(pl.load(x), offsets, y)

# --- notify_without_peer
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def k(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    pld.system.notify(s, [0, 0], 1)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0302 `pld.system.notify` needs an argument for `peer`
# note: `peer`: the rank whose cell is notified; it may be this rank

# --- load_memory_by_position
import tilewire.language as pl


@pl.jit.incore
def k(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x, [0, 0], [16, 16], pl.Mem.Vec), [0, 0], y)
#                                             ^^^^^^^^^^
# error: TW0305 `target_memory` of `pl.tile.load` must be passed by keyword
# help: write `target_memory=` before it

# --- offsets_one_by_one
import tilewire.language as pl


@pl.jit.incore
def k(x: pl.Tensor[[16, 16], pl.FP32], i: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    t = pl.load(x, i, 0)
#                  ^
# error: TW0309 `pl.tile.load` needs a list for `offsets`, got an integer scalar
# help: write [i, 0]

# --- offsets_of_a_signal
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def k(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], i: pl.Scalar[pl.INDEX]):
    pld.system.wait(s, i, 1)
#                      ^
# error: TW0309 `pld.system.wait` needs a list for `offsets`, got an integer scalar
# help: write [i, 0]

# --- a_tile_for_a_list
import tilewire.language as pl


@pl.jit.incore
def k(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    t = pl.load(x)
    y = pl.store(t, t, y)
#                   ^
# error: TW0309 `pl.tile.store` needs a list for `offsets`, got a tile
# help: pass a list; each entry is an integer

# --- put_a_tile
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def k(x: pl.Tensor[[16, 16], pl.FP32], w: pl.InOut[pld.DistributedTensor[[16, 16], pl.FP32]]):
    pld.tensor.put(w, 1, pl.load(x))
#                        ^^^^^^^^^^ `pl.load(x)` is pl.Tile[[16, 16], pl.FP32]
# error: TW0306 `pld.tensor.put` needs a tensor for `src`, got a tile
# help: write pld.tile.remote_store(tile, window, peer, offsets) to store a tile at a peer

# --- keyword_of_another_system
import tilewire.language as pl


@pl.jit.incore
def k(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 1], pl.FP32]]):
    y = pl.store(pl.sum(pl.load(x), dim=1), [0, 0], y)
#                                   ^^^
# error: TW0303 `pl.tile.sum` has no parameter `dim`
# help: write `axis=`

# --- comparison_sign
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def k(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    pld.system.wait(s, [0, 0], 1, cmp=">=")
#                                     ^^^^
# error: TW0314 ">=" is not a value of `cmp` in `pld.system.wait`
# help: write "ge"
