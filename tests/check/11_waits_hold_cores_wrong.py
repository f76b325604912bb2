# run: tilewire check %s --ranks 1 --cores 2
# verdict: refuted
"""Two tasks wait for a third of the same rank. They hold both cores, so the third cannot run."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def hold(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], i: pl.Scalar[pl.INDEX]):
    pld.system.wait(s, [i, 0], 1)  # found: deadlock


@pl.jit.incore
def tell(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(s))
    for i in pl.range(2):
        pld.system.notify(s, me, [i, 0], 1)


@pl.jit
def chip(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    for i in pl.range(2):
        hold(pl.no_dep(s), i)
    tell(pl.no_dep(s))


@pl.jit.host
def main():
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        chip(s, device=r)
