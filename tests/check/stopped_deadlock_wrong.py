# A deadlock of rank 0, whatever the notify of a rank that does not exist would have done.
# run: tilewire check %s --ranks 2
# verdict: refuted
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def chip(n: pl.Scalar[pl.INT32], s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(s)
    me = pld.rank(ctx)
    right = (me + 1) % pld.nranks(ctx)
    pld.system.notify(s, right, [0, 0], 1)
    if n == 2:
        if me == 0:
            pld.system.wait(s, [0, 0], 5)  # found: deadlock
        pld.system.notify(s, n * 4, [0, 0], 1)
    pld.system.wait(s, [0, 0], 1)


@pl.jit.host
def main(n: pl.Scalar[pl.INT32]):
    s = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        chip(n, s, device=r)
