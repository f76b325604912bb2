# --- broadcast_without_root
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], s: pld.DistributedTensor[[4, 1], pl.INT32]):
    w = pld.tensor.broadcast(w, s)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0302 `pld.tensor.broadcast` needs an argument for `root`
# note: `root`: the rank whose window is copied

# --- get_with_signal
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
           s: pld.DistributedTensor[[4, 1], pl.INT32]):
    y = pld.tensor.get(y, 0, w, signal=s)
#                               ^^^^^^
# error: TW0303 `pld.tensor.get` has no parameter `signal`
# help: it takes `dst`, `peer`, `src`, `dst_offsets`, `src_offsets`, `shape`, `chunk_rows`, `chunk_cols`, `pipeline`, `group`

# --- op_duplicate_argument
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0, 0], [16, 16], offsets=[0, 0])
#                                    ^^^^^^^
# error: TW0304 `pl.tile.load` got two values for `offsets`
# help: leave one of them out

# --- op_keyword_only
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.system.wait(s, [0, 0], 1, pld.WaitCmp.Ge)
#                                 ^^^^^^^^^^^^^^
# error: TW0305 `cmp` of `pld.system.wait` must be passed by keyword
# help: write `cmp=` before it

# --- op_missing_argument
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.add(pl.load(x))
#       ^^^^^^^^^^^^^^^^^^
# error: TW0302 `pl.tile.add` needs an argument for `b`
# note: `b`: the right operand, of the same shape and dtype

# --- op_missing_list
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    v = pl.read(x)
#       ^^^^^^^^^^
# error: TW0302 `pl.tensor.read` needs an argument for `idx`
# note: `idx`: the position, one entry per dimension

# --- op_too_many_arguments
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.exp(pl.load(x), 1, 2)
#                          ^
# error: TW0301 too many positional arguments for `pl.tile.exp`: it takes 1, got 3

# --- op_unknown_keyword
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0, 0], [16, 16], valid=[8, 16])
#                                    ^^^^^
# error: TW0303 `pl.tile.load` has no parameter `valid`
# help: it takes `t`, `offsets`, `shape`, `valid_shape`, `target_memory`

# --- op_unknown_keyword_near
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, ofsets=[0, 0], shape=[16, 16])
#                  ^^^^^^
# error: TW0303 `pl.tile.load` has no parameter `ofsets`
# help: did you mean `offsets`?

# --- one_argument_too_many
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def k(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], x: pl.Tensor[[16, 16], pl.FP32], peer: pl.Scalar[pl.INDEX]):
    pld.system.wait(s, peer, [0, 0], 1)
#                      ^^^^
# error: TW0301 too many positional arguments for `pld.system.wait`: it takes 3, got 4
# help: remove `peer`
    t = pl.exp(pl.load(x), 2)
#                          ^
# error: TW0301 too many positional arguments for `pl.tile.exp`: it takes 1, got 2
# help: remove `2`

# --- reductions_keep_the_dimension
import tilewire.language as pl


@pl.jit.incore
def k(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.max(pl.load(x), axis=1, keepdims=True)
#                                  ^^^^^^^^
# error: TW0303 `pl.tile.max` has no parameter `keepdims`
# help: remove it: reductions always keep the dimension

# --- no_context
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def k(w: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    me = pld.rank()
#        ^^^^^^^^^^
# error: TW0302 `pld.rank` needs an argument for `ctx`
# note: `ctx`: the communication context of a window: pld.get_comm_ctx(window)
