# run: tilewire check %s --ranks 2
# verdict: refuted
"""A cell that is reset after every round. The reset races with the next round's notify."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def chip(
    x: pl.Tensor[[1, 8], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    ctx = pld.get_comm_ctx(w)
    me = pld.rank(ctx)
    n = pld.nranks(ctx)
    if me == 1:
        for block in pl.range(2):
            pld.system.notify(s, 0, [0, 0], 1)
    if me == 0:
        for block in pl.range(2):
            pld.system.wait(s, [0, 0], 1)
            pld.system.notify(s, 0, [0, 0], 0, op="set")  # found: lost


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], w, s, device=r)
