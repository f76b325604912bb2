# The same with a slot for every other chunk. With two chunks nothing waits for a credit, with more it does.
# run: tilewire check %s --ranks 2
# verdict: proved
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = 2
CHUNKS = pl.dynamic("CHUNKS")
SLOTS = 2
W = 64


@pl.jit.incore
def stage(
    x: pl.Tensor[[CHUNKS, W], pl.FP32],
    y: pl.Out[pl.Tensor[[CHUNKS, W], pl.FP32]],
    slots: pl.InOut[pld.DistributedTensor[[SLOTS, W], pl.FP32]],
    full: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    credit: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
):
    ctx = pld.get_comm_ctx(slots)
    me, n = pld.rank(ctx), pld.nranks(ctx)
    right = (me + 1) % n
    left = (me + n - 1) % n
    for c in pl.range(pl.dim(x, 0)):
        if c >= SLOTS:
            pld.system.wait(credit, [0, 0], c - SLOTS + 1)
        pld.tensor.put(slots, right, x, [c % SLOTS, 0], [c, 0], [1, W], signal=full, at=[0, 0])
        pld.system.wait(full, [0, 0], c + 1)
        t = pl.load(slots, [c % SLOTS, 0], [1, W])
        y = pl.store(t + 1.0, [c, 0], y)
        pld.system.notify(credit, left, [0, 0], 1)


@pl.jit.host
def main(x: pl.Tensor[[NR, CHUNKS, W], pl.FP32], y: pl.Out[pl.Tensor[[NR, CHUNKS, W], pl.FP32]]):
    slots = pld.alloc_window([SLOTS, W], dtype=pl.FP32)
    full = pld.alloc_signal(1)
    credit = pld.alloc_signal(1)
    for r in pl.range(NR):
        stage(x[r], y[r], slots, full, credit, device=r)
