# run: tilewire print --after collect_comm_groups %s
"""A host collective on windows whose ranks depend on their number."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def fill(w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]]):
    w = pl.store(pl.load(w) + 1.0, [0, 0], w)


@pl.jit.host
def host(k: pl.Scalar[pl.INT64]):
    w = pld.alloc_window([1, 64], dtype=pl.FP32)
    v = pld.alloc_window([1, 64], dtype=pl.FP32)
    for r in pl.range(1, pld.world_size()):
        fill(w, device=r)
    for r in pl.range(k):
        fill(v, device=r)
    w = pld.tensor.allreduce(w)
    v = pld.tensor.allreduce(v)
