# run: tilewire check %s --ranks 2,3 --calls 2
# verdict: refuted
"""A session keeps its windows: the second call finds the signal of the first one, and reads too early."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def shift(
    x: pl.Tensor[[1, 8], pl.FP32],
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
):
    ctx = pld.get_comm_ctx(w)
    right = (pld.rank(ctx) + 1) % pld.nranks(ctx)
    pld.tile.remote_store(pl.load(x), w, right, [0, 0])  # found: race
    pld.system.notify(s, right, [0, 0], 1)
    pld.system.wait(s, [0, 0], 1)
    y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        shift(x[r], w, s, y[r], device=r)
