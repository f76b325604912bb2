"""Hand-split kernel, vector to cube, rows halved over two vector lanes."""
import tilewire.language as pl


@pl.program
class VectorToCube:
    @pl.function(type=pl.FunctionType.AIV)
    def prepare(self, x: pl.Tensor[[64, 64], pl.FP32]):
        peer = pl.import_peer_buffer(name="v2c", peer_func="multiply")
        pl.aiv_initialize_pipe(None, peer, dir_mask=2, slot_size=2048, id=1, slot_num=8)
        lane = pl.tile.get_subblock_idx()
        lanes = pl.tile.get_subblock_num()
        half = 16 // lanes
        for i in pl.range(0, 64, 16):
            t = pl.load(x, [i + lane * half, 0], [8, 64])
            pl.tpush_to_aic(pl.cast(pl.exp(t), pl.FP16), split=1, id=1)

    @pl.function(type=pl.FunctionType.AIC)
    def multiply(self, w: pl.Tensor[[64, 32], pl.FP16],
                 out: pl.Out[pl.Tensor[[64, 32], pl.FP32]]) -> pl.Tensor[[64, 32], pl.FP32]:
        fifo = pl.reserve_buffer(name="v2c", size=16384)
        pl.aic_initialize_pipe(None, fifo, dir_mask=2, slot_size=2048, id=1, slot_num=8)
        right = pl.load(w)
        for i in pl.range(0, 64, 16):
            t: pl.Tile[[16, 64], pl.FP16, pl.Mem.Mat] = pl.tpop_from_aiv(split=pl.SplitMode.UP_DOWN, id=1)
            product = pl.matmul(t, right)
            pl.tfree_to_aiv(t, id=1)
            out = pl.store(product, [i, 0], out)
        return out

    @pl.function(type=pl.FunctionType.Group)
    def both(self, x: pl.Tensor[[64, 64], pl.FP32], w: pl.Tensor[[64, 32], pl.FP16],
             out: pl.Out[pl.Tensor[[64, 32], pl.FP32]]) -> pl.Tensor[[64, 32], pl.FP32]:
        out = self.multiply(w, out)
        self.prepare(x)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[64, 64], pl.FP32], w: pl.Tensor[[64, 32], pl.FP16],
             out: pl.Out[pl.Tensor[[64, 32], pl.FP32]]) -> pl.Tensor[[64, 32], pl.FP32]:
        out = self.both(x, w, out)
        return out
