# run: tilewire check %s --ranks 2
"""Two dispatches to every rank, the first one of a kernel; nothing orders ranks between them."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def push(x: pl.Tensor[[1, 8], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]]):
    ctx = pld.get_comm_ctx(w)
    pld.tile.remote_store(pl.load(x), w, (pld.rank(ctx) + 1) % pld.nranks(ctx), [0, 0])


@pl.jit.incore
def take(w: pld.DistributedTensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(w), [0, 0], y)


@pl.jit
def second(w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    take(w, y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        push(x[r], w, device=r)
    for r in pl.range(pld.world_size()):
        second(w, y[r], device=r)
