# run: tilewire check %s --ranks 2,3
# verdict: refuted
"""The host sends rank 0 a kernel that adds up twice; the sums of the host function itself come before and after."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def once(
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    w = pld.tensor.allreduce(w, s)


@pl.jit.incore
def twice(
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    w = pld.tensor.allreduce(w, s)
    w = pld.tensor.allreduce(w, s)


@pl.jit.host
def main(x: pl.Tensor[[NR, 8], pl.FP32]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(pld.world_size())
    w = pld.tensor.allreduce(w, s)
    twice(w, s, device=0)
    for r in pl.range(1, pld.world_size()):
        once(w, s, device=r)
    pld.tensor.barrier(s)  # found: divergent
