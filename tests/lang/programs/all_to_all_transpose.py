"""A matrix spread by rows becomes spread by columns: transpose locally, then all-to-all."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
M = 16


@pl.program
class Transpose:
    @pl.function(type=pl.FunctionType.InCore)
    def pack(self, x: pl.Tensor[[M, NR * M], pl.FP32],
             send: pl.Out[pld.DistributedTensor[[NR * M, M], pl.FP32]]) -> pld.DistributedTensor[[NR * M, M], pl.FP32]:
        for p in pl.range(pld.nranks(pld.get_comm_ctx(send))):
            t = pl.load(x, [0, p * M], [M, M])
            send = pl.store(pl.transpose(t), [p * M, 0], send)
        return send

    @pl.function(type=pl.FunctionType.InCore)
    def unpack(self, received: pld.DistributedTensor[[NR * M, M], pl.FP32],
               y: pl.Out[pl.Tensor[[M, NR * M], pl.FP32]]) -> pl.Tensor[[M, NR * M], pl.FP32]:
        for p in pl.range(pld.nranks(pld.get_comm_ctx(received))):
            y = pl.store(pl.load(received, [p * M, 0], [M, M]), [0, p * M], y)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, M, NR * M], pl.FP32], y: pl.Out[pl.Tensor[[NR, M, NR * M], pl.FP32]]):
        n = pld.world_size()
        send = pld.alloc_window([n * M, M], dtype=pl.FP32)
        received = pld.alloc_window([n * M, M], dtype=pl.FP32)
        for r in pl.range(n):
            self.pack(x[r], send, device=r)
        received = pld.tensor.all_to_all(send, received)
        for r in pl.range(n):
            self.unpack(received, y[r], device=r)
