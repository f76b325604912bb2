"""Ops and calls at a level they do not work at."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class Levels:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]]):
        n = pld.world_size()
        buf = pld.alloc_window_buffer(64)
        self.other(w)

    @pl.function(type=pl.FunctionType.InCore)
    def other(self, w: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]]):
        w = pl.store(pl.load(w), [0, 0], w)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, w: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]],
             s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
        t = pl.load(w)
        w = pld.tensor.allreduce(w, s)
        pld.system.wait(s, [0, 0], 1)
        self.chip2(w, s)
        self.kernel(w, device=0)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip2(self, w: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]],
              s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
        self.kernel(w)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 16, 64], pl.FP32]):
        n = pld.world_size()
        w = pld.alloc_window([16, 64], dtype=pl.FP32)
        s = pld.alloc_signal(n)
        pld.system.notify(s, 0, [0, 0], 1)
        t = pl.load(x, [0, 0, 0], [1, 16, 64])
        self.chip(w, s)
        with pl.spmd(4):
            pass
