# run: tilewire print %s --after lower_pipes
"""What a kernel of two halves is made of: slots, and cells that say how often they were filled and emptied."""
import tilewire.language as pl


@pl.program
class Small:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 16], pl.FP32]):
        peer = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(peer, None, dir_mask=1, slot_size=1024, slot_num=2)
        t = pl.load(a, [0, 0], [16, 16])
        pl.tpush_to_aiv(pl.matmul(t, t), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
        buffer = pl.reserve_buffer(name="c2v", size=2048)
        pl.aiv_initialize_pipe(buffer, None, dir_mask=1, slot_size=1024, slot_num=2)
        t: pl.Tile[[16, 16], pl.FP32] = pl.tpop_from_aic(split=0)
        pl.store(t, [0, 0], y)
        pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
        self.cube(a)
        self.vector(y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
        self.both(a, y)
