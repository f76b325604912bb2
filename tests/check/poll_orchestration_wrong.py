# run: tilewire check %s --ranks 2
# verdict: refuted
"""An orchestration function polls a cell that nobody notifies: its peer notifies the one beside it."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def tell(c: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(c))
    pld.system.notify(c, 1 - me, [1, 0], 1)


@pl.jit
def chip(y: pl.InOut[pl.Tensor[[1, 8], pl.INT32]], c: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    tell(c)
    n = pl.const(0, pl.INT32)
    while n < 1:
        n = pl.read(c, [0, 0])  # found: deadlock
    pl.write(y, [0, 0], n)


@pl.jit.host
def main(y: pl.InOut[pl.Tensor[[NR, 1, 8], pl.INT32]]):
    c = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        chip(y[r], c, device=r)
