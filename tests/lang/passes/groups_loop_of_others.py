# run: tilewire print --after collect_comm_groups %s
"""Loops that go over other ranks than those that share the buffer."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class Loops:
    pld.comm_group(devices=[0, 1], slots=["pair"])

    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]]):
        w = pl.store(pl.load(w) + 1.0, [0, 0], w)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self):
        n = pld.world_size()
        pair = pld.alloc_window_buffer([1, 64], dtype=pl.FP32)
        w = pld.alloc_window([1, 64], dtype=pl.FP32)
        p = pld.window(pair, [1, 64], dtype=pl.FP32)
        for r in pl.range(3):
            self.fill(p, device=r)
        for r in pl.range(n):
            self.fill(w, device=r)
        for r in pl.range(1, n):
            self.fill(w, device=r)
