"""SPMD launches: a kernel call, an inline body, a loop over blocks, a block count known at run time."""
import tilewire.language as pl

ROWS = pl.dynamic("ROWS")


@pl.program
class Spmd:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[ROWS, 64], pl.FP32],
               y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]) -> pl.Tensor[[ROWS, 64], pl.FP32]:
        b = pl.tile.get_block_idx()
        n = pl.tile.get_block_num()
        blocks = pl.dim(x, 0) // 16
        for k in pl.range((blocks + n - 1) // n):
            i = min(b + k * n, blocks - 1)
            y = pl.store(pl.load(x, [i * 16, 0], [16, 64]) * 2.0, [i * 16, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[ROWS, 64], pl.FP32], z: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]],
             y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]) -> pl.Tuple[pl.Tensor[[ROWS, 64], pl.FP32],
                                                                   pl.Tensor[[ROWS, 64], pl.FP32]]:
        with pl.spmd(8):
            y = self.kernel(x, y)
        blocks = pl.dim(x, 0) // 16
        with pl.spmd(blocks, sync_start=True, name_hint="runtime count") as tid:
            y = self.kernel(x, y)
        for b in pl.spmd(blocks, deps=[tid]):
            z = pl.store(pl.load(y, [b * 16, 0], [16, 64]), [b * 16, 0], z)
        with pl.spmd(4, name_hint="inline"):
            i = pl.tile.get_block_idx()
            t = pl.load(x, [i * 16, 0], [16, 64])
            if i % 2 == 0:
                t = -t
            z = pl.store(t, [i * 16, 0], z)
        return y, z
