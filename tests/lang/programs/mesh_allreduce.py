"""All-reduce by hand, mesh form: stage, meet, add every rank's slice in rank order, meet again, store."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
SIZE = 256


@pl.program
class MeshAllreduce:
    @pl.function(type=pl.FunctionType.InCore)
    def stage(self, x: pl.Tensor[[1, SIZE], pl.FP32],
              data: pl.Out[pld.DistributedTensor[[1, SIZE], pl.FP32]]) -> pld.DistributedTensor[[1, SIZE], pl.FP32]:
        data = pl.store(pl.load(x), [0, 0], data)
        return data

    @pl.function(type=pl.FunctionType.InCore)
    def reduce(self, data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
               signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
               y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]) -> pl.Tensor[[1, SIZE], pl.FP32]:
        ctx = pld.get_comm_ctx(data)
        me = pld.rank(ctx)
        n = pld.nranks(ctx)
        for peer in pl.range(n):
            if peer != me:
                pld.system.notify(signal, peer, [me, 0], 1, op=pld.NotifyOp.AtomicAdd)
        for source in pl.range(n):
            if source != me:
                pld.system.wait(signal, [source, 0], 1, cmp=pld.WaitCmp.Ge)
        acc = pl.full([1, SIZE], dtype=pl.FP32, value=0.0)
        for source in pl.range(n):
            if source == me:
                part = pl.load(data)
            else:
                part = pld.tile.remote_load(data, source, [0, 0], [1, SIZE])
            acc = acc + part
        for peer in pl.range(n):
            if peer != me:
                pld.system.notify(signal, peer, [me, 0], 1)
        for source in pl.range(n):
            if source != me:
                pld.system.wait(signal, [source, 0], 2)
        y = pl.store(acc, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[1, SIZE], pl.FP32], data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
             signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
             y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]) -> pl.Tensor[[1, SIZE], pl.FP32]:
        data = self.stage(x, data)
        y = self.reduce(data, signal, y)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]]):
        n = pld.world_size()
        data_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
        signal_buf = pld.alloc_window_buffer([n, 1], dtype=pl.INT32)
        data = pld.window(data_buf, [1, SIZE], dtype=pl.FP32)
        signal = pld.window(signal_buf, [n, 1], dtype=pl.INT32)
        for r in pl.range(n):
            self.chip(x[r], data, signal, y[r], device=r)
