# run: tilewire check %s --ranks 2
# verdict: proved
"""A task with `ordered=False` waits; the tasks after it that communicate do not wait for it."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def notify(s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    pld.system.notify(s, 1 - pld.rank(pld.get_comm_ctx(s)), [0, 0], 1)


@pl.jit
def chip(s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    with pl.at(level=pl.Level.CORE_GROUP, ordered=False):
        pld.system.wait(s, [0, 0], 1)
    notify(s)


@pl.jit.host
def main(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        chip(s, device=r)
