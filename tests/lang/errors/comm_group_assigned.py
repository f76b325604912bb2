import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class P:
    group = pld.comm_group(devices=[0, 1], slots=["w"])

    @pl.function(type=pl.FunctionType.InCore)
    def k(self, w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]]):
        w = pl.store(pl.load(w) * 2.0, [0, 0], w)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self):
        w = pld.alloc_window([1, 8], dtype=pl.FP32)
        for r in pl.range(2):
            self.k(w, device=r)
