# run: tilewire print --after collect_comm_groups %s
"""Rank 0 does one thing, the others another: together they are all ranks."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def fill(w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]]):
    w = pl.store(pl.load(w) + 1.0, [0, 0], w)


@pl.jit.incore
def total(w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]], s):
    w = pld.tensor.allreduce(w, s)


@pl.jit.host
def host(many: pl.Scalar[pl.BOOL]):
    w = pld.alloc_window([1, 64], dtype=pl.FP32)
    s = pld.alloc_signal(pld.world_size())
    total(w, s, device=0)
    for r in pl.range(1, pld.world_size()):
        total(w, s, device=r)
    if many:
        fill(w, device=0)
