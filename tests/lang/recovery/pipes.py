"""Pipes and groups: what an annotation, a mask, a group's body must be."""
import tilewire.language as pl


@pl.program
class Pipes:
    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        buffer = pl.reserve_buffer(name="", size=4096)
        other = pl.reserve_buffer(name="fifo", size=0)
        pl.aiv_initialize_pipe(buffer, None, dir_mask=4, slot_size=4096)
        pl.aiv_initialize_pipe(buffer, None, dir_mask=1, slot_size=-1)
        t = pl.tpop_from_aic(split=0)
        u: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=3)
        v: pl.Tensor[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
        peer = pl.import_peer_buffer(name="fifo", peer_func=self.nobody)

    @pl.function(type=pl.FunctionType.AIC)
    def cube(self):
        pass

    @pl.function(type=pl.FunctionType.Group)
    def one(self):
        self.cube()

    @pl.function(type=pl.FunctionType.Group)
    def work(self, out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube()
        self.vector(out)
        t = pl.load(out)
