"""An all-reduce done by several blocks of each rank at once; the signal has room for all of them."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
CORES = 4


@pl.program
class BlockwiseAllreduce:
    @pl.function(type=pl.FunctionType.InCore)
    def reduce(self, w: pl.InOut[pld.DistributedTensor[[64, 64], pl.FP32]],
               signal: pl.InOut[pld.DistributedTensor[[NR * CORES, 1], pl.INT32]]) -> pld.DistributedTensor[
                   [64, 64], pl.FP32]:
        w = pld.tensor.allreduce(w, signal, op="sum", core_num=CORES)
        return w

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, w: pl.InOut[pld.DistributedTensor[[64, 64], pl.FP32]],
             signal: pl.InOut[pld.DistributedTensor[[NR * CORES, 1], pl.INT32]],
             y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.spmd(CORES, sync_start=True):
            w = self.reduce(w, signal)
        with pl.at(level=pl.Level.CORE_GROUP):
            y[...] = pl.load(w)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 64, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 64, 64], pl.FP32]]):
        n = pld.world_size()
        buf = pld.alloc_window_buffer([64, 64], dtype=pl.FP32, load_from_host=x)
        w = pld.window(buf, [64, 64], dtype=pl.FP32)
        signal = pld.alloc_signal(n * CORES)
        for r in pl.range(n):
            self.chip(w, signal, y[r], device=r)
