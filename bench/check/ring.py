"""The built-in sum over all ranks, three calls back to back on one signal, the result read in between."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def reduce(
    x: pl.Tensor[[1, 1024], pl.FP32],
    w: pl.InOut[pld.DistributedTensor[[1, 1024], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 1024], pl.FP32]],
):
    for call in pl.range(3):
        w = pl.store(pl.load(x), [0, 0], w)
        w = pld.tensor.allreduce(w, signal, mode="ring")
        y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 1024], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 1024], pl.FP32]]):
    w = pld.alloc_window([1, 1024], dtype=pl.FP32)
    signal = pld.alloc_signal(2 * pld.world_size())
    for r in pl.range(pld.world_size()):
        reduce(x[r], w, signal, y[r], device=r)
