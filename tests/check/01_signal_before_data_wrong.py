# run: tilewire check %s --ranks 2,3
# verdict: refuted
"""A task signals that data is there. The task that signals is not ordered after the one that writes."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def fill(x: pl.Tensor[[1, 8], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(x), [0, 0], w)  # found: race


@pl.jit.incore
def tell(s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(s))
    for peer in pl.range(pld.nranks(pld.get_comm_ctx(s))):
        pld.system.notify(s, peer, [me, 0], 1)


@pl.jit.incore
def take(
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
):
    ctx = pld.get_comm_ctx(w)
    right = (pld.rank(ctx) + 1) % pld.nranks(ctx)
    pld.system.wait(s, [right, 0], 1)
    pl.store(pld.tile.remote_load(w, right, [0, 0], [1, 8]), [0, 0], y)


@pl.jit
def chip(
    x: pl.Tensor[[1, 8], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    fill(x, w)
    tell(pl.no_dep(s))
    take(w, s, y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], w, s, device=r)
