# run: tilewire check %s --ranks 2 --calls 2
# verdict: refuted
"""A counter that goes on from call to call, awaited with the value of the first one."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def meet(s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(s))
    pld.system.notify(s, 1 - me, [0, 0], 1)
    pld.system.wait(s, [0, 0], 1, cmp="eq")  # found: overshot


@pl.jit.host
def main():
    s = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        meet(s, device=r)
