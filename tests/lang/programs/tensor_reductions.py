"""Reductions and broadcasts on whole tensors."""
import tilewire.language as pl


@pl.program
class TensorReductions:
    @pl.function(type=pl.FunctionType.Opaque)
    def rows(self, x: pl.Tensor[[32, 64], pl.FP32],
             y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]) -> pl.Tensor[[32, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            s = pl.tensor.row_sum(x)
            m = pl.tensor.row_max(x)
            n = pl.tensor.maximum(pl.tensor.row_min(x), pl.tensor.min(x, axis=1))
            t = pl.tensor.row_expand_sub(x, m)
            t = pl.tensor.row_expand_div(t, s)
            t = pl.tensor.row_expand_add(t, n)
            t = pl.tensor.row_expand_mul(t, s)
            t = pl.tensor.row_expand_max(t, n)
            t = pl.tensor.row_expand_min(t, m)
            t = t + pl.tensor.row_expand(s, [32, 64])
            first = pl.tensor.row_argmax(t)
            last = pl.tensor.row_argmin(t)
            t = pl.tensor.row_expand_add(t, pl.tensor.cast(first - last, pl.FP32))
            y = pl.tensor.assemble(y, t, [0, 0])
        return y

    @pl.function(type=pl.FunctionType.Opaque)
    def columns(self, x: pl.Tensor[[32, 64], pl.FP32],
                y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]) -> pl.Tensor[[32, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            s = pl.tensor.col_sum(x)
            m = pl.tensor.minimum(pl.tensor.col_max(x), pl.tensor.max(x, axis=0))
            n = pl.tensor.col_min(x)
            t = pl.tensor.col_expand_sub(x, m)
            t = pl.tensor.col_expand_div(t, s)
            t = pl.tensor.col_expand_add(t, n)
            t = pl.tensor.col_expand_mul(t, s)
            t = pl.tensor.col_expand_max(t, n)
            t = pl.tensor.col_expand_min(t, m)
            t = t - pl.tensor.col_expand(n, [32, 64])
            y = pl.tensor.assemble(y, t, [0, 0])
        return y
