# run: tilewire check %s --ranks 4
# verdict: refuted
"""Rank 2 takes back what rank 1 waits for, unless rank 0 has come first, and knows that this has landed. That it has
not seen the notify of rank 1 does not mean that rank 1 still waits: the notify may be under way. The first schedule
tried has no such branch, and a cell that only grows."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def chip(w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[8, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(w)
    me = pld.rank(ctx)
    if me == 0:
        pld.system.notify(s, 2, [0, 0], 1)
    if me == 1:
        pld.system.notify(s, 2, [1, 0], 1)
        pld.system.wait(s, [0, 0], 1)
        t = pld.tile.remote_load(w, 2, [0, 0], [1, 8])
    if me == 2:
        pld.system.notify(s, 1, [0, 0], 1)
        first = pld.system.test(s, [0, 0], 1)
        if not first:
            pld.system.notify(s, 1, [0, 0], 0, op="set")
        pld.system.notify(s, 3, [0, 0], 1)
        pld.system.wait(s, [2, 0], 1)
        if not first:
            if not pld.system.test(s, [1, 0], 1):
                w = pl.store(pl.full([1, 8], dtype=pl.FP32, value=1.0), [0, 0], w)  # found: race
        pld.system.notify(s, 1, [0, 0], 1)
    if me == 3:
        pld.system.wait(s, [0, 0], 1)
        pld.system.notify(s, 2, [2, 0], 1)


@pl.jit.host
def main(x: pl.Tensor[[1, 8], pl.FP32]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(8)
    for r in pl.range(pld.world_size()):
        chip(w, s, device=r)
