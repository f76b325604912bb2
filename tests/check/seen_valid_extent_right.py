# run: tilewire check %s --ranks 2
# verdict: proved
"""The cell is notified once: one row is stored, and the other one is read."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def chip(
    y: pl.Out[pl.Tensor[[2, 8], pl.FP32]],
    w: pl.InOut[pld.DistributedTensor[[2, 64], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]],
):
    if pld.rank(pld.get_comm_ctx(w)) == 0:
        seen = pld.system.wait(s, [0, 0], 1)
        t: pl.Tile[[2, 8], pl.FP32] = pl.full([2, 8], pl.FP32, 5.0)
        pl.store(pl.set_validshape(t, [seen, 8]), [0, 0], w)
    else:
        pld.system.notify(s, 0, [0, 0], 1)
        u = pld.tile.remote_load(w, 0, [1, 0], [1, 8])
        pl.store(u, [0, 0], y)


@pl.jit.host
def main(y: pl.Out[pl.Tensor[[NR, 2, 8], pl.FP32]]):
    w = pld.alloc_window([2, 64], dtype=pl.FP32)
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        chip(y[r], w, s, device=r)
