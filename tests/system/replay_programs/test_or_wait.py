# run: tilewire check %s --ranks 2
"""A test that is a wait, and nobody who answers where the other rank looks too early."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def k(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(s))
    if me == 0:
        pld.system.notify(s, 1, [0, 0], 1)
        if not pld.system.test(s, [0, 0], 1):
            pld.system.wait(s, [0, 0], 1)
    else:
        if pld.system.test(s, [0, 0], 1):
            pld.system.notify(s, 0, [0, 0], 1)


@pl.jit.host
def main():
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        k(s, device=r)
