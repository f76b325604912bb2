# run: tilewire check %s --ranks 2
# verdict: proved
"""Nothing is wrong, but what a wait saw is stored: the result is 1 or 2. A value that every schedule sees is not warned of."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def chip(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    if pld.rank(pld.get_comm_ctx(s)) == 0:
        pl.write(y, [0, 0], pld.system.wait(s, [0, 0], 1))  # warned: schedule
        pl.write(y, [0, 1], pld.system.wait(s, [0, 0], 2))
    else:
        pld.system.notify(s, 0, [0, 0], 1)
        pld.system.notify(s, 0, [0, 0], 1)


@pl.jit.host
def main(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]]):  # warned: unwritten
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        chip(y[r], s, device=r)
