# run: tilewire check %s --ranks 2
"""A deferred wait for two signals, of which one comes."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def use(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(x), [0, 0], y)


@pl.jit.incore
def tell(s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(s)
    pld.system.notify(s, (pld.rank(ctx) + 1) % pld.nranks(ctx), [0, 0], 1)


@pl.jit
def chip(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    tell(s)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="arrived") as arrived:
        pld.system.defer_wait(s, [0, 0], 1)
        pld.system.defer_wait(s, [1, 0], 1)
    use(x, y, deps=[arrived])


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    s = pld.alloc_signal(2)
    for r in pl.range(2):
        chip(x[r], y[r], s, device=r)
