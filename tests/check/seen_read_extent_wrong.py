# run: tilewire check %s --ranks 2
# verdict: refuted
"""How many rows are read is what a wait saw, 1 or 2. Another rank writes row 1."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def chip(
    x: pl.Tensor[[1, 8], pl.FP32],
    y: pl.Out[pl.Tensor[[2, 64], pl.FP32]],
    w: pl.InOut[pld.DistributedTensor[[2, 64], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]],
):
    if pld.rank(pld.get_comm_ctx(w)) == 0:
        seen = pld.system.wait(s, [0, 0], 1)
        t = pl.load(w, [0, 0], [2, 8], valid_shape=[seen, 8])  # found: race
        pl.store(t, [0, 0], y)
    else:
        pld.system.notify(s, 0, [0, 0], 1)
        pld.system.notify(s, 0, [0, 0], 1)
        pld.tile.remote_store(pl.load(x), w, 0, [1, 0])  # found: race


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 2, 64], pl.FP32]]):
    w = pld.alloc_window([2, 64], dtype=pl.FP32)
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], w, s, device=r)
