"""Mixed kernels that ask for the cube/vector split: as an attribute, on a scope, on a launch."""
import tilewire.language as pl


@pl.program
class Split:
    @pl.function(type=pl.FunctionType.InCore, attrs={"split": pl.SplitMode.UP_DOWN})
    def fused(self, a: pl.Tensor[[32, 64], pl.FP16], b: pl.Tensor[[64, 32], pl.FP16],
              c: pl.Out[pl.Tensor[[32, 32], pl.FP32]]) -> pl.Tensor[[32, 32], pl.FP32]:
        c = pl.store(pl.relu(pl.matmul(pl.load(a), pl.load(b))), [0, 0], c)
        return c

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[32, 64], pl.FP16], b: pl.Tensor[[64, 32], pl.FP16],
             c: pl.Out[pl.Tensor[[32, 32], pl.FP32]],
             d: pl.Out[pl.Tensor[[32, 32], pl.FP32]]) -> pl.Tuple[pl.Tensor[[32, 32], pl.FP32],
                                                                 pl.Tensor[[32, 32], pl.FP32]]:
        c = self.fused(a, b, c)
        with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.LEFT_RIGHT)]):
            d[...] = pl.exp(pl.matmul(pl.load(a), pl.load(b)))
        with pl.spmd(2, optimizations=[pl.split(pl.SplitMode.UP_DOWN)]):
            i = pl.tile.get_block_idx()
            t = pl.matmul(pl.load(a, [i * 16, 0], [16, 64]), pl.load(b))
            d = pl.store(t * 0.5, [i * 16, 0], d)
        with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.NONE)]):
            d[...] = pl.load(d) + pl.load(c)
        return c, d
