# run: tilewire check %s --ranks 2,3
# verdict: proved
"""Communication order stays in a manual scope."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def send(x: pl.Tensor[[1, 8], pl.FP32], box: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
         signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(box)
    right = (pld.rank(ctx) + 1) % pld.nranks(ctx)
    pld.tile.remote_store(pl.load(x), box, right, [0, 0])
    pld.system.notify(signal, right, [0, 0], 1)
    pld.system.wait(signal, [0, 0], 1)


@pl.jit.incore
def take(box: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    y = pl.store(pl.load(box), [0, 0], y)


@pl.jit
def chip(x: pl.Tensor[[1, 8], pl.FP32], box: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
         signal: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    with pl.manual_scope():
        send(x, box, signal)
        take(box, y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    box = pld.alloc_window([1, 8], dtype=pl.FP32)
    signal = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        chip(x[r], box, signal, y[r], device=r)
