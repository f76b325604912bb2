# run: tilewire check %s
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class P:
    pld.comm_group(devices=[0, 1], slots=["w"])

    @pl.function(type=pl.FunctionType.InCore)
    def k(self, w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]]):
        me = pld.rank(pld.get_comm_ctx(w))
        pld.tile.remote_store(pl.load(w), w, me, [0, 0])

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self):
        w = pld.alloc_window([1, 8], dtype=pl.FP32)
        for r in pl.range(4):
            self.k(w, device=r)
