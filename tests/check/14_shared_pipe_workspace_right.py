# run: tilewire check %s
# verdict: proved
"""Each of four blocks has a part of the pipe workspace."""
import tilewire.language as pl

BYTES = pl.dynamic("BYTES")


@pl.program
class Shared:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[64, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32],
             __gm_pipe_buffer: pl.InOut[pl.Tensor[[BYTES], pl.UINT8]]):
        peer = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(peer, None, dir_mask=1, slot_size=4096)
        row = pl.tile.get_block_idx() * 16
        pl.tpush_to_aiv(pl.matmul(pl.load(a, [row, 0], [16, 64]), pl.load(b, [0, 0], [64, 64])), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[64, 64], pl.FP32]], __gm_pipe_buffer: pl.InOut[pl.Tensor[[BYTES], pl.UINT8]]):
        fifo = pl.reserve_buffer(name="c2v", size=32768)
        pl.aiv_initialize_pipe(fifo, None, dir_mask=1, slot_size=4096)
        row = pl.tile.get_block_idx() * 16
        t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
        pl.store(pl.relu(t), [row, 0], y)
        pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[64, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
             __gm_pipe_buffer: pl.InOut[pl.Tensor[[BYTES], pl.UINT8]]):
        self.cube(a, b, __gm_pipe_buffer)
        self.vector(y, __gm_pipe_buffer)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[64, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        workspace = pl.create_tensor([4 * 32768], dtype=pl.UINT8)
        with pl.spmd(4):
            self.both(a, b, y, workspace)
