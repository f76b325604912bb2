"""Slot forms of the signal ops: own slots are slices, slots of others come from peer_slot."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def meet(signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], goal: pl.Scalar[pl.INT32],
         seen: pl.Out[pl.Tensor[[2], pl.INT32]]):
    ctx = pld.get_comm_ctx(signal)
    me = pld.rank(ctx)
    n = pld.nranks(ctx)
    for peer in pl.range(n):
        slot = pld.peer_slot(signal, peer, [me, 0])
        pl.tile.comm_notify(slot, goal + 1, op="atomic_add")
    polls = pl.const(0, pl.INT32)
    for source in pl.range(n):
        own = signal[source:source + 1, 0:1]
        ready = pl.tile.comm_test(own, 1, cmp="ge")
        if ready:
            polls += 1
        value = pl.tile.comm_wait(own, goal, cmp="gt")
        seen = pl.write(seen, [0], value)
    pl.tile.comm_notify(pld.peer_slot(signal, me, [me, 0]), 0, op="set")
    for source in pl.range(n):
        pl.tile.comm_wait(signal[source:source + 1, 0:1], -1, cmp="ne")
    seen = pl.write(seen, [1], polls)
    return seen


@pl.jit.host
def host(seen: pl.Out[pl.Tensor[[NR, 2], pl.INT32]]):
    n = pld.world_size()
    signal = pld.alloc_signal(n)
    for r in pl.range(n):
        meet(signal, 0, seen[r], device=r)
