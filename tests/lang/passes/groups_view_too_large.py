# run: tilewire print --after collect_comm_groups %s
"""A view larger than its buffer, for every number of ranks."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def touch(w):
    pld.system.notify_all(w)


@pl.jit.host
def host():
    n = pld.world_size()
    buf = pld.alloc_window_buffer([n, 16], dtype=pl.INT32)
    w = pld.window(buf, [n + 1, 16], dtype=pl.INT32)
    for r in pl.range(n):
        touch(w, device=r)
