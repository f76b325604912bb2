# run: tilewire check %s --ranks 2
# verdict: refuted
"""Mutual exclusion by two flags, each set at both ranks: the notifies may land after both have looked."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def once(x: pl.Tensor[[1, 8], pl.INT32], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.INT32]],
         s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(w))
    pld.system.notify(s, 0, [me, 0], 1, op=pld.NotifyOp.Set)
    pld.system.notify(s, 1, [me, 0], 1, op=pld.NotifyOp.Set)
    if not pld.system.test(s, [1 - me, 0], 1):
        pld.tile.remote_store(pl.load(x), w, 0, [0, 0])  # found: race


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.INT32]):
    w = pld.alloc_window([1, 8], dtype=pl.INT32)
    s = pld.alloc_signal(2)
    for r in pl.range(2):
        once(x[r], w, s, device=r)
