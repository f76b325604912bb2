# run: tilewire check %s --ranks 2,3
# verdict: refuted
"""Data and signals in one buffer. The views overlap."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def chip(
    x: pl.Tensor[[1, 8], pl.FP32],
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
):
    ctx = pld.get_comm_ctx(w)
    me = pld.rank(ctx)
    pl.store(pl.load(x), [0, 0], w)  # found: race
    pld.system.notify(s, (me + 1) % pld.nranks(ctx), [0, 0], 1)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32]):
    buf = pld.alloc_window_buffer(64)
    w = pld.window(buf, [1, 8], dtype=pl.FP32)
    s = pld.window(buf, [1, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        chip(x[r], w, s, device=r)
