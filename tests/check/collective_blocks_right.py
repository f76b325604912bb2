# run: tilewire check %s --ranks 1,2,3,4
# verdict: proved
"""Collectives whose work several blocks of a rank share, in a kernel and on the host."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
NS = pl.dynamic("NS")


@pl.jit.incore
def fill(x: pl.Tensor[[4, 40], pl.FP32], w: pl.Out[pld.DistributedTensor[[4, 40], pl.FP32]]):
    w = pl.store(pl.load(x), [0, 0], w)


@pl.jit.incore
def reduce(
    w: pl.InOut[pld.DistributedTensor[[4, 40], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NS, 1], pl.INT32]],
):
    w = pld.tensor.allreduce(w, signal, mode="two_shot")
    w = pld.tensor.allreduce(w, signal, mode="mesh")
    w = pld.tensor.allreduce(w, signal, mode="ring")


@pl.jit
def chip(
    x: pl.Tensor[[4, 40], pl.FP32],
    w: pl.InOut[pld.DistributedTensor[[4, 40], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NS, 1], pl.INT32]],
):
    fill(x, w)
    with pl.spmd(3):
        reduce(w, signal)


@pl.jit.incore
def take(w: pld.DistributedTensor[[4, 40], pl.FP32], y: pl.Out[pl.Tensor[[4, 40], pl.FP32]]):
    y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 4, 40], pl.FP32], y: pl.Out[pl.Tensor[[NR, 4, 40], pl.FP32]]):
    w = pld.alloc_window([4, 40], dtype=pl.FP32)
    signal = pld.alloc_signal(pld.world_size() * 3)
    for r in pl.range(pld.world_size()):
        chip(x[r], w, signal, device=r)
    w = pld.tensor.allreduce(w, core_num=2)
    for r in pl.range(pld.world_size()):
        take(w, y[r], device=r)
