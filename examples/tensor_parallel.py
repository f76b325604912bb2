"""A linear layer split over ranks: each rank multiplies with its rows of the weight, the products are summed.

The sum is the built-in collective. `partial` is both the result of the multiplication and the window the
collective works on, so nothing is copied in between.
"""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
BATCH = 16
SLICE = 64
OUT = 128


@pl.jit.incore
def multiply(
    x: pl.Tensor[[BATCH, SLICE], pl.FP16],
    w: pl.Tensor[[SLICE, OUT], pl.FP16],
    partial: pl.Out[pld.DistributedTensor[[BATCH, OUT], pl.FP32]],
):
    partial = pl.store(pl.matmul(pl.load(x), pl.load(w)), [0, 0], partial)
    return partial


@pl.jit.incore
def total(
    partial: pl.InOut[pld.DistributedTensor[[BATCH, OUT], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[BATCH, OUT], pl.FP32]],
):
    # The signal may serve any number of collectives, one after the other, and needs no reset in between.
    partial = pld.tensor.allreduce(partial, signal, op=pld.ReduceOp.Sum)
    y[...] = pl.load(partial)
    return y


@pl.jit
def chip(
    x: pl.Tensor[[BATCH, SLICE], pl.FP16],
    w: pl.Tensor[[SLICE, OUT], pl.FP16],
    partial: pl.InOut[pld.DistributedTensor[[BATCH, OUT], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[BATCH, OUT], pl.FP32]],
):
    partial = multiply(x, w, partial)
    y = total(partial, signal, y)
    return y


@pl.jit.host
def linear(
    x: pl.Tensor[[NR, BATCH, SLICE], pl.FP16],
    w: pl.Tensor[[NR, SLICE, OUT], pl.FP16],
    y: pl.Out[pl.Tensor[[NR, BATCH, OUT], pl.FP32]],
):
    partial = pld.alloc_window([BATCH, OUT], dtype=pl.FP32)
    signal = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        chip(x[r], w[r], partial, signal, y[r], device=r)


if __name__ == "__main__":
    print(linear.program.as_python())
