# run: tilewire check %s --ranks 1,2,3,4,5,6,7,8
# verdict: proved
"""Every mode of allreduce, three calls back to back on one signal, the result read and changed between."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def reduce(
    x: pl.Tensor[[3, 700], pl.BF16],
    w: pl.InOut[pld.DistributedTensor[[3, 700], pl.BF16]],
    signal: pl.InOut[pld.DistributedTensor[[2 * NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[3, 700], pl.BF16]],
):
    w = pl.store(pl.load(x), [0, 0], w)
    w = pld.tensor.allreduce(w, signal, mode="mesh")
    w = pl.store(pl.load(w) * 0.5, [0, 0], w)
    w = pld.tensor.allreduce(w, signal, mode="two_shot", op="max")
    w = pl.store(pl.load(w) * 0.5, [0, 0], w)
    w = pld.tensor.allreduce(w, signal, mode="ring")
    w = pld.tensor.allreduce(w, signal, mode="mesh", op="min")
    w = pld.tensor.allreduce(w, signal, mode="ring", op="prod")
    w = pld.tensor.allreduce(w, signal)
    y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 3, 700], pl.BF16], y: pl.Out[pl.Tensor[[NR, 3, 700], pl.BF16]]):
    w = pld.alloc_window([3, 700], dtype=pl.BF16)
    signal = pld.alloc_signal(2 * pld.world_size())
    for r in pl.range(pld.world_size()):
        reduce(x[r], w, signal, y[r], device=r)
