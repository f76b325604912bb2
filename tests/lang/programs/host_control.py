"""Control flow on the host: loops and branches over scalars and the number of ranks, windows made in a branch."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class HostControl:
    @pl.function(type=pl.FunctionType.InCore)
    def work(self, x: pl.Tensor[[16, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]],
             step: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        w = pl.store(pl.load(x) * pl.cast(step, pl.FP32), [0, 0], w)
        y = pl.store(pl.load(w), [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 16, 64], pl.FP32], steps: pl.Scalar[pl.INT64], quick: pl.Scalar[pl.BOOL],
             y: pl.Out[pl.Tensor[[NR, 16, 64], pl.FP32]]):
        n = pld.world_size()
        rounds = steps
        if quick:
            rounds = steps // 2
        elif n > 4:
            rounds = steps + n
        w = pld.alloc_window([16, 64], dtype=pl.FP32)
        for step in pl.range(rounds):
            for r in pl.range(n):
                self.work(x[r], w, step, y[r], device=r)
            if not quick:
                w = pld.tensor.allreduce(w)
