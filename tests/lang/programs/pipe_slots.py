"""What a kernel of two halves is made of: slots, and cells that say how often they were filled and emptied."""
import tilewire.language as pl

gm_pipe_bytes = pl.dynamic("gm_pipe_bytes")
pipe_cells = pl.dynamic("pipe_cells")


@pl.program
class Small:
    @pl.function(type=pl.FunctionType.InCore, attrs={"lanes": 2})
    def both(self, a: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]], __gm_pipe_buffer: pl.InOut[pl.Tensor[[gm_pipe_bytes], pl.UINT8]], __pipe_cells: pl.InOut[pl.Tensor[[pipe_cells, 16], pl.INT32]]):
        index = pl.tile.get_block_idx()
        block = index // 2
        role = index % 2
        all = pl.tile.get_block_num()
        blocks = all // 2
        if role == 0:
            bytes = pl.tensor.dim(__gm_pipe_buffer, i=0)
            pl.pipe.check_workspace(bytes, blocks, 2048)
            units = bytes // blocks // 32
            shard = block * (units * 32)
            t = pl.tile.load(a, [0, 0], [16, 16])
            t_1 = pl.tile.matmul(t, t)
            expected = pl.scalar.cast(0, target_type=pl.INT32)
            cell = block * 4 + 1
            pl.pipe.wait(__pipe_cells, [cell, 0], expected, what="a free slot of pipe 0, cube to vector")
            slot = pl.pipe.slot(__gm_pipe_buffer, shard, [16, 16], dtype=pl.FP32)
            pl.tile.store(t_1, [0, 0], slot)
            cell_1 = block * 4
            pl.pipe.notify(__pipe_cells, [cell_1, 0], 1, what="push to pipe 0, cube to vector")
        else:
            bytes_1 = pl.tensor.dim(__gm_pipe_buffer, i=0)
            pl.pipe.check_workspace(bytes_1, blocks, 2048)
            units_1 = bytes_1 // blocks // 32
            shard_1 = block * (units_1 * 32)
            expected_1 = pl.scalar.cast(1, target_type=pl.INT32)
            cell_2 = block * 4
            pl.pipe.wait(__pipe_cells, [cell_2, 0], expected_1, what="a tile from pipe 0, cube to vector")
            slot_1 = pl.pipe.slot(__gm_pipe_buffer, shard_1, [16, 16], dtype=pl.FP32)
            t_2 = pl.tile.load(slot_1, [0, 0], [16, 16])
            pl.tile.store(t_2, [0, 0], y)
            cell_3 = block * 4 + 1
            pl.pipe.notify(__pipe_cells, [cell_3, 0], 1, what="free of pipe 0, cube to vector")

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
        with pl.scope():
            workspace = pl.tensor.create([2048], dtype=pl.UINT8)
            cells = pl.pipe.cells([4, 16], rings="0> 2 ")
            with pl.spmd(2):
                self.both(a, y, workspace, cells)
