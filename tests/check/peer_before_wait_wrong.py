# The last of three ranks has no right neighbour: it stops there, so its wait for an answer is no deadlock of its own.
# run: tilewire check %s --ranks 3
# verdict: refuted
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def chip(
    x: pl.Tensor[[1, 64], pl.FP32],
    w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
):
    me = pld.rank(pld.get_comm_ctx(w))
    if me % 2 == 0:
        pld.tile.remote_store(pl.load(x), w, me + 1, [0, 0])  # found: bounds
        pld.system.notify(s, me + 1, [0, 0], 1)
        pld.system.wait(s, [1, 0], 1)
    else:
        pld.system.wait(s, [0, 0], 1)
        y = pl.store(pl.load(w), [0, 0], y)
        pld.system.notify(s, me - 1, [1, 0], 1)


@pl.jit.host
def main(x: pl.Tensor[[NR, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 64], pl.FP32]]):
    w = pld.alloc_window([1, 64], dtype=pl.FP32)
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        chip(x[r : r + 1, :], w, s, y[r : r + 1, :], device=r)
