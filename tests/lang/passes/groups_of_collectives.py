# run: tilewire print --after collect_comm_groups %s
"""Windows that only collectives use are in the group of the others, or of all ranks."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def fill(w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]]):
    w = pl.store(pl.load(w) + 1.0, [0, 0], w)


@pl.jit.host
def host():
    local = pld.alloc_window([1, 64], dtype=pl.FP32)
    gathered = pld.alloc_window([2, 64], dtype=pl.FP32)
    signal = pld.alloc_signal(2)
    apart = pld.alloc_window([4, 64], dtype=pl.FP32)
    for r in pl.range(2):
        fill(local, device=r)
    gathered = pld.tensor.allgather(local, gathered, signal)
    apart = pld.tensor.allreduce(apart)
