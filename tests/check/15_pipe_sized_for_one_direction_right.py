# run: tilewire check %s
# verdict: proved
"""A pipe in both directions, and a workspace with room for the slots of both."""
import tilewire.language as pl

SLOT = 4096
WORKSPACE = 2 * 4 * SLOT


@pl.program
class OneDirection:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
             __gm_pipe_buffer: pl.InOut[pl.Tensor[[WORKSPACE], pl.UINT8]]):
        there = pl.import_peer_buffer(name="c2v", peer_func="vector")
        back = pl.reserve_buffer(name="v2c", size=4 * SLOT)
        pl.aic_initialize_pipe(there, back, dir_mask=3, slot_size=SLOT)
        w = pl.load(b, [0, 0], [64, 64])
        pl.tpush_to_aiv(pl.matmul(pl.load(a, [0, 0], [16, 64]), w), split=0)
        t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aiv(split=0)
        pl.store(pl.matmul(t, w), [0, 0], y)
        pl.tfree_to_aiv(t)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, __gm_pipe_buffer: pl.InOut[pl.Tensor[[WORKSPACE], pl.UINT8]]):
        there = pl.reserve_buffer(name="c2v", size=4 * SLOT)
        back = pl.import_peer_buffer(name="v2c", peer_func="cube")
        pl.aiv_initialize_pipe(there, back, dir_mask=3, slot_size=SLOT)
        t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
        pl.tpush_to_aic(pl.relu(t), split=0)
        pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
             __gm_pipe_buffer: pl.InOut[pl.Tensor[[WORKSPACE], pl.UINT8]]):
        self.cube(a, b, y, __gm_pipe_buffer)
        self.vector(__gm_pipe_buffer)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[16, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        workspace = pl.create_tensor([WORKSPACE], dtype=pl.UINT8)
        self.both(a, b, y, workspace)
