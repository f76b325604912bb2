"""Pipes in both directions under SPMD: scores to the vector half, weights back to the cube half."""
import tilewire.language as pl

BLOCKS = pl.dynamic("BLOCKS")


@pl.program
class BothWays:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, q: pl.Tensor[[BLOCKS, 32, 64], pl.FP16], k: pl.Tensor[[64, 64], pl.FP16],
             v: pl.Tensor[[64, 64], pl.FP16],
             out: pl.Out[pl.Tensor[[BLOCKS, 32, 64], pl.FP32]]) -> pl.Tensor[[BLOCKS, 32, 64], pl.FP32]:
        to_vector = pl.import_peer_buffer(name="scores", peer_func=self.vector)
        to_cube = pl.reserve_buffer(name="weights", size=32768, base=0)
        pl.aic_initialize_pipe(to_vector, to_cube, dir_mask=3, slot_size=8192, slot_num=4)
        b = pl.tile.get_block_idx()
        tq = pl.load(q, [b, 0, 0], [1, 32, 64])
        pl.tpush_to_aiv(pl.matmul(tq, pl.load(k), b_trans=True), split=2)
        p: pl.Tile[[32, 64], pl.FP16] = pl.tpop_from_aiv(split=2)
        out = pl.store(pl.matmul(p, pl.load(v)), [b, 0, 0], out)
        pl.tfree_to_aiv(p)
        return out

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self):
        to_vector = pl.reserve_buffer(name="scores", size=32768)
        to_cube = pl.import_peer_buffer(name="weights", peer_func="cube")
        pl.aiv_initialize_pipe(to_vector, to_cube, dir_mask=3, slot_size=8192, slot_num=4)
        s: pl.Tile[[32, 32], pl.FP32] = pl.tpop_from_aic(split=pl.SplitMode.LEFT_RIGHT)
        e = pl.exp(s)
        pl.tfree_to_aic(s)
        pl.tpush_to_aic(pl.cast(e, pl.FP16), split=pl.SplitMode.LEFT_RIGHT)

    @pl.function(type=pl.FunctionType.Group)
    def attend(self, q: pl.Tensor[[BLOCKS, 32, 64], pl.FP16], k: pl.Tensor[[64, 64], pl.FP16],
               v: pl.Tensor[[64, 64], pl.FP16],
               out: pl.Out[pl.Tensor[[BLOCKS, 32, 64], pl.FP32]]) -> pl.Tensor[[BLOCKS, 32, 64], pl.FP32]:
        out = self.cube(q, k, v, out)
        self.vector()
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, q: pl.Tensor[[BLOCKS, 32, 64], pl.FP16], k: pl.Tensor[[64, 64], pl.FP16],
             v: pl.Tensor[[64, 64], pl.FP16],
             out: pl.Out[pl.Tensor[[BLOCKS, 32, 64], pl.FP32]]) -> pl.Tensor[[BLOCKS, 32, 64], pl.FP32]:
        with pl.spmd(pl.dim(q, 0)):
            out = self.attend(q, k, v, out)
        return out
