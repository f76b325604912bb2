# run: tilewire print --after collect_comm_groups %s
"""A collective over windows of two groups."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def fill(w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]]):
    w = pl.store(pl.load(w) + 1.0, [0, 0], w)


@pl.jit.host
def host():
    w = pld.alloc_window([1, 64], dtype=pl.FP32)
    s = pld.alloc_signal(8)
    for r in pl.range(4):
        fill(w, device=r)
    meet(s, device=0)
    w = pld.tensor.allreduce(w, s)


@pl.jit.incore
def meet(s):
    pld.system.notify_all(s)
