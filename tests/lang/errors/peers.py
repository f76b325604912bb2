# --- negative_offset
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [-1, 0], [16, 16])
#                  ^^^^^^^
# error: TW0337 out of bounds: `pl.tile.load` starts at -1 in dimension 0
# help: pass an offset of 0 or more: negative offsets do not count from the end

# --- negative_peer
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.system.notify(s, -1, [0, 0], 1)
#                        ^^
# error: TW0338 invalid rank: `pld.system.notify` addresses rank -1; ranks count from 0
# help: take it modulo the number of ranks: (pld.rank(ctx) - 1) % pld.nranks(ctx)

# --- negative_peer_put
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], x: pl.Tensor[[16, 16], pl.FP32]):
    w = pld.tensor.put(w, -1, x)
#                         ^^
# error: TW0338 invalid rank: `pld.tensor.put` addresses rank -1; ranks count from 0
# help: take it modulo the number of ranks: (pld.rank(ctx) - 1) % pld.nranks(ctx)

# --- negative_peer_remote_load
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32]):
    t = pld.tile.remote_load(w, -2, [0, 0], [16, 16])
#                               ^^
# error: TW0338 invalid rank: `pld.tile.remote_load` addresses rank -2; ranks count from 0
# help: take it modulo the number of ranks: (pld.rank(ctx) - 1) % pld.nranks(ctx)

# --- negative_root
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], s: pld.DistributedTensor[[4, 1], pl.INT32]):
    w = pld.tensor.broadcast(w, s, root=-1)
#                                       ^^
# error: TW0338 invalid rank: `pld.tensor.broadcast` addresses rank -1; ranks count from 0
# help: take it modulo the number of ranks: (pld.rank(ctx) - 1) % pld.nranks(ctx)

# --- transfer_rank
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], x: pl.Tensor[[256], pl.FP32]):
    w = pld.tensor.put(w, 0, x)
#                            ^ `x` is pl.Tensor[[256], pl.FP32]
# error: TW0376 `pld.tensor.put` needs tensors of equal rank, got 2 and 1
# help: write a slice, x[i : i + 1]: an index, x[i], drops the dimension

# --- transfer_rank_get
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[256], pl.FP32]]):
    y = pld.tensor.get(y, 0, w)
#                            ^ `w` is pld.DistributedTensor[[16, 16], pl.FP32]
# error: TW0376 `pld.tensor.get` needs tensors of equal rank, got 1 and 2
# help: write a slice, x[i : i + 1]: an index, x[i], drops the dimension
