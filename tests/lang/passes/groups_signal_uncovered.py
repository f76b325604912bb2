# run: tilewire print --after collect_comm_groups %s
"""Signals with fewer cells than their group has ranks."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def fill(w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]]):
    w = pl.store(pl.load(w) + 1.0, [0, 0], w)


@pl.jit.incore
def total(w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]], s):
    w = pld.tensor.allreduce(w, s)


@pl.jit
def chip(w, s):
    total(w, s)


@pl.jit.incore
def ring(w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]], s):
    w = pld.tensor.allreduce(w, s, mode="ring")


@pl.jit.incore
def meet(s):
    pld.system.notify_all(s)


@pl.jit.host
def host():
    n = pld.world_size()
    w = pld.alloc_window([1, 64], dtype=pl.FP32)
    v = pld.alloc_window([1, 64], dtype=pl.FP32)
    two = pld.alloc_signal(2)
    three = pld.alloc_signal(3)
    less = pld.alloc_signal(n - 1)
    for r in pl.range(3):
        chip(w, two, device=r)
        ring(w, three, device=r)
    for r in pl.range(n):
        meet(less, device=r)
        fill(v, device=r)
    v = pld.tensor.allreduce(v, less)
