"""Windows used wrongly: where they are made, what they are called, how large their views are."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class Windows:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]]):
        pass

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 16, 64], pl.FP32], r: pl.Scalar[pl.INT32]):
        n = pld.world_size()
        buf = pld.alloc_window_buffer([16, 64], dtype=pl.FP32, name="data")
        small = pld.alloc_window_buffer(64)
        big = pld.window(small, [16, 64], dtype=pl.FP32)
        nothing = pld.alloc_window_buffer(0)
        pair = (pld.alloc_window_buffer(64), 1)
        pld.alloc_window_buffer(64)
        small = pld.alloc_window_buffer(128)
        for i in pl.range(2):
            inner = pld.alloc_window([16, 64], dtype=pl.FP32)
        view = pld.window(x, [16, 64], dtype=pl.FP32)
        good = pld.alloc_window([16, 64], dtype=pl.FP32)
        self.kernel(small, device=0)
        self.kernel(x[0], device=0)
        self.kernel(good)
        self.kernel(good, device=r)
        self.kernel(good, device=-1)
        for i in pl.parallel(n):
            self.kernel(good, device=i)
