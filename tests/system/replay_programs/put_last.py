# run: tilewire check %s --ranks 3
"""The schedule ends with a put that notifies, which is one step: what comes after it is the same on every target."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def meet(w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(w)
    pld.system.notify(s, (pld.rank(ctx) + 1) % pld.nranks(ctx), [0, 0], 1)
    pld.system.wait(s, [0, 0], 1)


@pl.jit.incore
def send(x: pl.Tensor[[1, 8], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(w)
    pld.tensor.put(w, (pld.rank(ctx) + 1) % pld.nranks(ctx), x, signal=s, at=[1, 0])


@pl.jit.incore
def take(w: pld.DistributedTensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(w), [0, 0], y)


@pl.jit
def chip(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    meet(w, s)
    send(x, w, s)
    take(w, y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], w, s, device=r)
