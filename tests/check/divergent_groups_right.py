# run: tilewire check %s --ranks 2,3,4,5,6
# verdict: proved
"""Two groups with a rank in common call what they like, each its own number of times."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def low(
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    for i in pl.range(3):
        w = pld.tensor.allreduce(w, s, mode="ring")


@pl.jit.incore
def high(
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    w = pld.tensor.broadcast(w, s, root=0)
    pld.tensor.barrier(s)


@pl.jit.host
def main(x: pl.Tensor[[NR, 8], pl.FP32]):
    n = pld.world_size()
    middle = n // 2
    low_rows = pld.alloc_window([1, 8], dtype=pl.FP32)
    low_signal = pld.alloc_signal(2 * n)
    high_rows = pld.alloc_window([1, 8], dtype=pl.FP32)
    high_signal = pld.alloc_signal(2 * n)
    for r in pl.range(middle + 1):
        low(low_rows, low_signal, device=r)
    for r in pl.range(middle, n):
        high(high_rows, high_signal, device=r)
