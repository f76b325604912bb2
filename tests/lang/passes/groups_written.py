# run: tilewire print --after collect_comm_groups %s
"""Groups that the program writes are kept; the others are found."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class Written:
    pld.comm_group(devices=[3, 1], slots=["odd_buf"])

    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]]):
        w = pl.store(pl.load(w) + 1.0, [0, 0], w)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self):
        all_buf = pld.alloc_window_buffer([1, 64], dtype=pl.FP32)
        odd_buf = pld.alloc_window_buffer([1, 64], dtype=pl.FP32)
        everything = pld.window(all_buf, [1, 64], dtype=pl.FP32)
        odd = pld.window(odd_buf, [1, 64], dtype=pl.FP32)
        for r in pl.range(pld.world_size()):
            self.fill(everything, device=r)
        for r in pl.range(1, 5, 2):
            self.fill(odd, device=r)
