# run: tilewire check %s --ranks 2
"""Ranks test a cell until somebody else comes, and nobody does."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def chip(s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(s))
    pld.system.notify(s, me, [0, 0], 1)
    while not pld.system.test(s, [0, 0], 2):
        me = me + 0


@pl.jit.host
def main():
    s = pld.alloc_signal(2)
    for r in pl.range(2):
        chip(s, device=r)
