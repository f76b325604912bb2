# run: tilewire print --after collect_comm_groups %s
"""A rank of a group that nothing goes to."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class Missed:
    pld.comm_group(devices=[0, 1, 4], slots=["three"])

    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]]):
        w = pl.store(pl.load(w) + 1.0, [0, 0], w)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self):
        three = pld.alloc_window_buffer([1, 64], dtype=pl.FP32)
        t = pld.window(three, [1, 64], dtype=pl.FP32)
        self.fill(t, device=0)
        self.fill(t, device=1)
