# run: tilewire check %s --ranks 2,4
# verdict: proved
"""Sums over smaller and smaller sub-groups: a loop divides its context until nobody else is left, in a kernel and in an
orchestration function that hands the context to its tasks."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def halve(
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.INT32]],
    s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    g = pld.get_comm_ctx(w)
    while pld.nranks(g) > 1:
        w = pld.tensor.allreduce(w, s, group=g)
        g = pld.subgroup(g, pld.nranks(g) // 2)


@pl.jit.incore
def tell(
    s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    c: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    g: pld.CommCtx,
):
    pld.system.notify(s, pld.nranks(g) - 1, [pld.rank(pld.get_comm_ctx(s)), 0], 1, group=g)
    if pld.rank(g) == pld.nranks(g) - 1:
        for member in pl.range(pld.nranks(g)):
            pld.system.wait(s, [pld.member_rank(g, member), 0], 1)
            pld.system.fetch_add(s, pld.rank(g), [pld.member_rank(g, member), 0], -1, group=g)
    pld.tensor.barrier(c, group=g)


@pl.jit
def chip(
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.INT32]],
    s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    c: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    halve(w, c)
    g = pld.get_comm_ctx(s)
    while pld.nranks(g) > 1:
        tell(s, c, g)
        g = pld.subgroup(g, pld.nranks(g) // 2)


@pl.jit.host
def main():
    w = pld.alloc_window([1, 8], dtype=pl.INT32)
    s = pld.alloc_signal(pld.world_size())
    c = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        chip(w, s, c, device=r)
