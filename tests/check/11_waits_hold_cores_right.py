# run: tilewire check %s --ranks 1 --cores 2
# verdict: proved
"""Two tasks wait for a third of the same rank. They wait without a core."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
@pl.jit.incore
def tell(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(s))
    for i in pl.range(2):
        pld.system.notify(s, me, [i, 0], 1)


@pl.jit
def chip(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    for i in pl.range(2):
        with pl.at(level=pl.Level.CORE_GROUP, ordered=False):
            pld.system.defer_wait(s, [i, 0], 1)
    tell(pl.no_dep(s))


@pl.jit.host
def main():
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        chip(s, device=r)
