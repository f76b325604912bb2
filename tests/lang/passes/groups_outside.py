# run: tilewire print --after collect_comm_groups %s
"""Single ranks outside a group, and ranks of a group that nothing goes to."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class Outside:
    pld.comm_group(devices=[0, 1], slots=["pair"])

    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]]):
        w = pl.store(pl.load(w) + 1.0, [0, 0], w)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self):
        pair = pld.alloc_window_buffer([1, 64], dtype=pl.FP32)
        p = pld.window(pair, [1, 64], dtype=pl.FP32)
        self.fill(p, device=0)
        self.fill(p, device=5)
