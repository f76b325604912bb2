"""Tensors joined along either axis; `pl.concat` takes what it is given."""
import tilewire.language as pl


@pl.program
class TensorConcat:
    @pl.function(type=pl.FunctionType.InCore)
    def side_by_side(self, a: pl.Tensor[[4, 8], pl.FP32], b: pl.Tensor[[4, 24], pl.FP32],
                     y: pl.Out[pl.Tensor[[4, 32], pl.FP32]]) -> pl.Tensor[[4, 32], pl.FP32]:
        y[...] = pl.concat([a, b], axis=1)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def stacked(self, a: pl.Tensor[[3, 8], pl.FP32], b: pl.Tensor[[2, 8], pl.FP32],
                y: pl.Out[pl.Tensor[[8, 8], pl.FP32]]) -> pl.Tensor[[8, 8], pl.FP32]:
        y[...] = pl.concat([a, b * 2.0, a], axis=0)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def tiles(self, a: pl.Tensor[[3, 8], pl.FP32],
              y: pl.Out[pl.Tensor[[6, 8], pl.FP32]]) -> pl.Tensor[[6, 8], pl.FP32]:
        t = pl.load(a, [0, 0], [3, 8])
        y = pl.store(pl.concat([t, t], axis=0), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[4, 8], pl.FP32], b: pl.Tensor[[4, 24], pl.FP32],
             y: pl.Out[pl.Tensor[[4, 32], pl.FP32]]) -> pl.Tensor[[4, 32], pl.FP32]:
        y = self.side_by_side(a, b, y)
        return y
