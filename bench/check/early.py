"""Every rank tells the others that it is there, counts who has come already, and waits for the rest: the counts are results
that depend on the schedule, so all orders of a notify and a look have to be tried."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def look(
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    here: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 8], pl.INT32]],
):
    ctx = pld.get_comm_ctx(w)
    me = pld.rank(ctx)
    ranks = pld.nranks(ctx)
    w = pl.store(pl.full([1, 8], dtype=pl.FP32, value=1.0), [0, 0], w)
    pld.system.notify_all(here)
    early = 0
    for rank in pl.range(ranks):
        if rank != me:
            if not pld.system.test(here, [rank, 0], 1):
                pld.system.wait(here, [rank, 0], 1)
            else:
                early = early + 1
            t = pld.tile.remote_load(w, rank, [0, 0], [1, 8])
    pl.write(y, [0, 0], pl.cast(early, pl.INT32))


@pl.jit.host
def main(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    here = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        look(w, here, y[r], device=r)
