# run: tilewire check %s --ranks 4,6
# verdict: refuted
"""The last rank stays outside the sum of its row."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def chip(
    x: pl.Tensor[[1, 8], pl.FP32],
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
):
    ctx = pld.get_comm_ctx(w)
    me = pld.rank(ctx)
    w = pl.store(pl.load(x), [0, 0], w)
    row = pld.subgroup(ctx, 2)
    if me != pld.nranks(ctx) - 1:
        w = pld.tensor.allreduce(w, s, group=row)  # found: divergent
    y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        chip(x[r], w, s, y[r], device=r)
