# run: tilewire check %s --ranks 2
# verdict: proved
"""Two exchanges over two signals. All ranks do them in the same order."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def exchange(s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(s)
    me = pld.rank(ctx)
    pld.system.notify(s, (me + 1) % pld.nranks(ctx), [0, 0], 1)
    pld.system.wait(s, [0, 0], 1)


@pl.jit
def forth(a: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]], b: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    exchange(a)
    exchange(b)


@pl.jit
def back(a: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]], b: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    exchange(a)
    exchange(b)


@pl.jit.host
def main():
    a = pld.alloc_signal(1)
    b = pld.alloc_signal(1)
    forth(a, b, device=0)
    back(a, b, device=1)
