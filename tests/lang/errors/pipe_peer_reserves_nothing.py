import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP16]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP16]]):
        t: pl.Tile[[16, 64], pl.FP16] = pl.tpop_from_aic(split=0)
        pl.tfree_to_aic(t)
