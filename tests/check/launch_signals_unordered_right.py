# A task waits for the blocks of a launch that comes later; neither is ordered by communication.
# run: tilewire check %s --ranks 2,3
# verdict: proved
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def work(
    x: pl.Tensor[[4, 32], pl.INT32],
    t: pl.InOut[pl.Tensor[[4, 32], pl.INT32]],
    s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
):
    b = pl.tile.get_block_idx()
    me = pld.rank(pld.get_comm_ctx(s))
    t = pl.store(pl.load(x, [b, 0], [1, 32]) + 1, [b, 0], t)
    pld.system.notify(s, me, [0, 0], 1)
    return t


@pl.jit.incore
def gather(
    t: pl.Tensor[[4, 32], pl.INT32],
    s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 32], pl.INT32]],
):
    pld.system.wait(s, [0, 0], 4)
    y = pl.store(pl.col_sum(pl.load(t)), [0, 0], y)
    return y


@pl.jit
def chip(
    x: pl.Tensor[[4, 32], pl.INT32],
    y: pl.Out[pl.Tensor[[1, 32], pl.INT32]],
    s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
):
    t = pl.create_tensor([4, 32], dtype=pl.INT32)
    with pl.at(level=pl.Level.CORE_GROUP, ordered=False):
        y = gather(pl.no_dep(t), s, y)
    with pl.spmd(4, ordered=False):
        t = work(x, t, s)
    return y


@pl.jit.host
def main(x: pl.Tensor[[NR, 4, 32], pl.INT32], y: pl.Out[pl.Tensor[[NR, 1, 32], pl.INT32]]):
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], s, device=r)
