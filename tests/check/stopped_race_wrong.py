# A race that another rank's notify of a rank that does not exist must not hide.
# run: tilewire check %s --ranks 2
# verdict: refuted
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def chip(
    x: pl.Tensor[[1, 64], pl.FP32],
    n: pl.Scalar[pl.INT32],
    w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
):
    ctx = pld.get_comm_ctx(w)
    me = pld.rank(ctx)
    right = (me + 1) % pld.nranks(ctx)
    pld.tile.remote_store(pl.load(x), w, right, [0, 0])  # found: race
    pld.system.notify(s, right, [0, 0], 1)
    if n == 2:
        if me == 1:
            pld.system.notify(s, 5, [0, 0], 1)
    if n != 2:
        pld.system.wait(s, [0, 0], 1)
    y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 64], pl.FP32], n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[NR, 64], pl.FP32]]):
    w = pld.alloc_window([1, 64], dtype=pl.FP32)
    s = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        chip(x[r : r + 1, :], n, w, s, y[r : r + 1, :], device=r)
