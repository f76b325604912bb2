"""A two-layer perceptron split over ranks: each rank has a slice of the hidden layer, the sum is an all-reduce."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
BATCH = 16
MODEL = 64
SLICE = MODEL // 2


@pl.program
class TensorParallelMlp:
    @pl.function(type=pl.FunctionType.InCore)
    def up(self, x: pl.Tensor[[BATCH, MODEL], pl.FP16], w: pl.Tensor[[MODEL, SLICE], pl.FP16],
           h: pl.Out[pl.Tensor[[BATCH, SLICE], pl.FP16]]) -> pl.Tensor[[BATCH, SLICE], pl.FP16]:
        t = pl.matmul(pl.load(x), pl.load(w))
        h = pl.store(pl.cast(t * pl.sigmoid(t), pl.FP16), [0, 0], h)
        return h

    @pl.function(type=pl.FunctionType.InCore)
    def down(self, h: pl.Tensor[[BATCH, SLICE], pl.FP16], w: pl.Tensor[[SLICE, MODEL], pl.FP16],
             partial: pl.Out[pld.DistributedTensor[[BATCH, MODEL], pl.FP32]]) -> pld.DistributedTensor[
                 [BATCH, MODEL], pl.FP32]:
        partial = pl.store(pl.matmul(pl.load(h), pl.load(w)), [0, 0], partial)
        return partial

    @pl.function(type=pl.FunctionType.InCore)
    def total(self, partial: pl.InOut[pld.DistributedTensor[[BATCH, MODEL], pl.FP32]],
              signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
              y: pl.Out[pl.Tensor[[BATCH, MODEL], pl.FP32]]) -> pl.Tensor[[BATCH, MODEL], pl.FP32]:
        partial = pld.tensor.allreduce(partial, signal, op=pld.ReduceOp.Sum)
        y[...] = pl.load(partial)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[BATCH, MODEL], pl.FP16], w1: pl.Tensor[[MODEL, SLICE], pl.FP16],
             w2: pl.Tensor[[SLICE, MODEL], pl.FP16], partial: pl.InOut[pld.DistributedTensor[[BATCH, MODEL], pl.FP32]],
             signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
             y: pl.Out[pl.Tensor[[BATCH, MODEL], pl.FP32]]) -> pl.Tensor[[BATCH, MODEL], pl.FP32]:
        h = pl.create_tensor([BATCH, SLICE], dtype=pl.FP16)
        h = self.up(x, w1, h)
        partial = self.down(h, w2, partial)
        y = self.total(partial, signal, y)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[BATCH, MODEL], pl.FP16], w1: pl.Tensor[[NR, MODEL, SLICE], pl.FP16],
             w2: pl.Tensor[[NR, SLICE, MODEL], pl.FP16], y: pl.Out[pl.Tensor[[NR, BATCH, MODEL], pl.FP32]]):
        n = pld.world_size()
        partial = pld.alloc_window([BATCH, MODEL], dtype=pl.FP32)
        signal = pld.alloc_signal(n)
        for r in pl.range(n):
            self.chip(x, w1[r], w2[r], partial, signal, y[r], device=r)
