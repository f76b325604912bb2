# run: tilewire check %s --ranks 2,3
# verdict: proved
"""Communication order holds between the rounds of a parallel loop, also for windows taken as plain tensors."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def fill(i: pl.Scalar[pl.INDEX], part: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.full([1, 8], dtype=pl.FP32, value=pl.cast(i, pl.FP32)), [0, 0], part)


@pl.jit.incore
def add_up(part: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], sig: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
    part = pld.tensor.allreduce(part, sig, op=pld.ReduceOp.Sum, mode="two_shot")


@pl.jit.incore
def take(part: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(part), [0, 0], y)


@pl.jit
def chip(part: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], sig: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
         y: pl.Out[pl.Tensor[[2, 8], pl.FP32]]):
    fill(3, part)
    for i in pl.parallel(2):
        add_up(part, sig)
    for i in pl.range(2):
        take(part, y[i:i + 1])


@pl.jit.host
def main(y: pl.Out[pl.Tensor[[NR, 2, 8], pl.FP32]]):
    part = pld.alloc_window([1, 8], dtype=pl.FP32)
    sig = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        chip(part, sig, y[r], device=r)
