# run: tilewire print --after collect_comm_groups %s
"""Window buffers that no rank is given."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def fill(w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]]):
    w = pl.store(pl.load(w) + 1.0, [0, 0], w)


@pl.jit.host
def host():
    w = pld.alloc_window([1, 64], dtype=pl.FP32)
    never = pld.alloc_window([1, 64], dtype=pl.FP32)
    unseen = pld.alloc_window_buffer(4096)
    for r in pl.range(0):
        fill(never, device=r)
    fill(w, device=0)
