"""Row and column reductions, with and without a scratch tile."""
import tilewire.language as pl


@pl.program
class Reductions:
    @pl.function(type=pl.FunctionType.InCore)
    def rows(self, x: pl.Tensor[[32, 64], pl.FP32],
             y: pl.Out[pl.Tensor[[32, 1], pl.FP32]]) -> pl.Tensor[[32, 1], pl.FP32]:
        t = pl.load(x)
        scratch = pl.tile.create([32, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        s = pl.row_sum(t, scratch)
        hi = pl.row_max(t)
        lo = pl.tile.row_min(t)
        y = pl.store(s + hi - lo, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def columns(self, x: pl.Tensor[[32, 64], pl.FP32],
                y: pl.Out[pl.Tensor[[1, 64], pl.FP32]]) -> pl.Tensor[[1, 64], pl.FP32]:
        t = pl.load(x)
        s = pl.col_sum(t)
        hi = pl.col_max(t)
        lo = pl.col_min(t)
        y = pl.store(s + hi - lo, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def where(self, x: pl.Tensor[[32, 64], pl.FP32],
              first: pl.Out[pl.Tensor[[32, 1], pl.INT32]],
              last: pl.Out[pl.Tensor[[32, 1], pl.INT32]]) -> pl.Tuple[pl.Tensor[[32, 1], pl.INT32],
                                                                      pl.Tensor[[32, 1], pl.INT32]]:
        t = pl.load(x)
        first = pl.store(pl.row_argmax(t), [0, 0], first)
        last = pl.store(pl.row_argmin(t), [0, 0], last)
        return first, last
