# run: tilewire check %s --ranks 2
"""Blocks that meet others than those whose rows they read."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def chip(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    b = pl.tile.get_block_idx()
    me = pld.rank(pld.get_comm_ctx(s))
    pl.store(pl.load(x, [b, 0], [1, 8]), [b, 0], y)
    pld.system.notify(s, me, [b, 0], 1)
    pld.system.wait(s, [(b + 2) % 4, 0], 1)
    pl.store(pl.load(y, [(b + 1) % 4, 0], [1, 8]) + 1.0, [b, 0], y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 4, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 4, 8], pl.FP32]]):
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], s, device=r, blocks=4)
