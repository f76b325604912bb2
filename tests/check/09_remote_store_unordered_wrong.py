# run: tilewire check %s --ranks 2,3
# verdict: refuted
"""One task stores into a window with a remote store, the next one reads it. The reader is taken out of the order."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def push(x: pl.Tensor[[1, 8], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]]):
    me = pld.rank(pld.get_comm_ctx(w))
    pld.tile.remote_store(pl.load(x), w, me, [0, 0])  # found: race


@pl.jit.incore
def take(w: pld.DistributedTensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(w), [0, 0], y)


@pl.jit
def chip(
    x: pl.Tensor[[1, 8], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    push(x, w)
    take(pl.no_dep(w), y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], w, s, device=r)
