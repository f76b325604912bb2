# run: tilewire check %s --ranks 2
"""A put that notifies, and a read that waits for nothing: the put is one step, with its notify."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def send(
    x: pl.Tensor[[2, 8], pl.INT32],
    w: pl.InOut[pld.DistributedTensor[[2, 8], pl.INT32]],
    s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
):
    pld.tensor.put(w, pld.rank(pld.get_comm_ctx(w)), x, signal=s, at=[0, 0])


@pl.jit.incore
def use(v: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[1], pl.INT32]]):
    pl.write(y, [0], v)


@pl.jit
def chip(
    x: pl.Tensor[[2, 8], pl.INT32],
    y: pl.Out[pl.Tensor[[1], pl.INT32]],
    w: pl.InOut[pld.DistributedTensor[[2, 8], pl.INT32]],
    s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
):
    send(x, w, s)
    v = pl.read(w, [0, 2])
    use(v, y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 2, 8], pl.INT32], y: pl.Out[pl.Tensor[[NR, 1], pl.INT32]]):
    w = pld.alloc_window([2, 8], dtype=pl.INT32)
    s = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], w, s, device=r)
