"""Every collective called on the host, with and without a signal."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
M = 4


@pl.program
class HostCollectives:
    @pl.function(type=pl.FunctionType.InCore)
    def put_in(self, x: pl.Tensor[[M, 64], pl.FP32],
               w: pl.Out[pld.DistributedTensor[[M, 64], pl.FP32]]) -> pld.DistributedTensor[[M, 64], pl.FP32]:
        w = pl.store(pl.load(x), [0, 0], w)
        return w

    @pl.function(type=pl.FunctionType.InCore)
    def take_out(self, w: pld.DistributedTensor[[M, 64], pl.FP32],
                 y: pl.Out[pl.Tensor[[M, 64], pl.FP32]]) -> pl.Tensor[[M, 64], pl.FP32]:
        y = pl.store(pl.load(w), [0, 0], y)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, M, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, M, 64], pl.FP32]]):
        n = pld.world_size()
        local = pld.alloc_window([M, 64], dtype=pl.FP32)
        wide = pld.alloc_window([n * M, 64], dtype=pl.FP32)
        other = pld.alloc_window([n * M, 64], dtype=pl.FP32)
        send_counts = pld.alloc_window([n], dtype=pl.INT32)
        recv_counts = pld.alloc_window([n], dtype=pl.INT32)
        signal = pld.alloc_signal(2 * n)
        for r in pl.range(n):
            self.put_in(x[r], local, device=r)
        local = pld.tensor.allreduce(local, signal, op=pld.ReduceOp.Sum)
        local = pld.tensor.allreduce(local, op="max", mode="mesh")
        pld.tensor.barrier(signal)
        local = pld.tensor.broadcast(local, signal, root=0)
        for _ in pl.range(3):
            wide = pld.tensor.allgather(local, wide, signal)
        wide = pld.tensor.reduce_scatter(wide, signal, op=pld.ReduceOp.Min)
        other = pld.tensor.all_to_all(wide, other, signal)
        other = pld.tensor.all_to_all_v(wide, other, signal, send_counts, recv_counts)
        pld.tensor.barrier()
        for r in pl.range(n):
            self.take_out(local, y[r], device=r)
