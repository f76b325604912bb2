# run: tilewire check %s --ranks 1 --cores 4
# verdict: proved
"""A launch whose blocks have to start together needs 4 cores, and has them."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit
def chip(s: pl.InOut[pld.DistributedTensor[[8, 1], pl.INT32]]):
    for b in pl.spmd(4, sync_start=True):
        me = pld.rank(pld.get_comm_ctx(s))
        for p in pl.range(4):
            pld.system.notify(s, me, [p, 0], 1)
        pld.system.wait(s, [b, 0], 4)


@pl.jit.host
def main():
    s = pld.alloc_signal(8)
    for r in pl.range(pld.world_size()):
        chip(s, device=r)
