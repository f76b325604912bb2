"""A lock that ranks hand on with equality: general cells, so all orders of their uses have to be tried."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def turns(
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    turn: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    done: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
):
    ctx = pld.get_comm_ctx(w)
    me = pld.rank(ctx)
    ranks = pld.nranks(ctx)
    if me > 0:
        pld.system.wait(turn, [0, 0], 1, cmp="eq")
        pld.system.notify(turn, me, [0, 0], 0, op="set")
    pld.tile.remote_store(pl.full([1, 8], dtype=pl.FP32, value=1.0), w, 0, [0, 0])
    if me + 1 < ranks:
        pld.system.notify(turn, me + 1, [0, 0], 1, op="set")
    pld.system.notify(done, 0, [0, 0], 1)
    if me == 0:
        pld.system.wait(done, [0, 0], ranks, cmp="eq")
        t = pl.load(w)


@pl.jit.host
def main(x: pl.Tensor[[NR, 8], pl.FP32]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    turn = pld.alloc_signal(1)
    done = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        turns(w, turn, done, device=r)
