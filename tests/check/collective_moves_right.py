# run: tilewire check %s --ranks 1,2,3,4,5,6,7,8
# verdict: proved
"""The other collectives one after the other on one signal, each result read before the next call."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def move(
    x: pl.Tensor[[2, 9], pl.INT32],
    w: pl.InOut[pld.DistributedTensor[[2, 9], pl.INT32]],
    wide: pl.InOut[pld.DistributedTensor[[NR * 2, 9], pl.INT32]],
    other: pl.InOut[pld.DistributedTensor[[NR * 2, 9], pl.INT32]],
    counts: pl.InOut[pld.DistributedTensor[[2, NR], pl.INT32]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[2, 9], pl.INT32]],
):
    w = pl.store(pl.load(x), [0, 0], w)
    for i in pl.range(3):
        w = pld.tensor.broadcast(w, signal, root=0)
        wide = pld.tensor.allgather(w, wide, signal)
        other = pld.tensor.all_to_all(wide, other, signal)
        other = pld.tensor.all_to_all_v(wide, other, signal, counts[0], counts[1])
        w = pld.tensor.broadcast(w, signal, root=0)
        other = pld.tensor.all_to_all_v(wide, other, signal, counts[1], counts[0])
        other = pld.tensor.all_to_all_v(wide, other, signal, counts[0], counts[1])
        wide = pl.store(pl.load(other, [0, 0], [2, 9]), [0, 0], wide)
        pld.tensor.barrier(signal)
        other = pld.tensor.reduce_scatter(other, signal)
        w = pl.store(pl.load(other, [0, 0], [2, 9]), [0, 0], w)
    y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 2, 9], pl.INT32], y: pl.Out[pl.Tensor[[NR, 2, 9], pl.INT32]]):
    w = pld.alloc_window([2, 9], dtype=pl.INT32)
    wide = pld.alloc_window([pld.world_size() * 2, 9], dtype=pl.INT32)
    other = pld.alloc_window([pld.world_size() * 2, 9], dtype=pl.INT32)
    counts = pld.alloc_window([2, pld.world_size()], dtype=pl.INT32)
    signal = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        move(x[r], w, wide, other, counts, signal, y[r], device=r)
