"""Broadcasts: the fused forms by name, and operators that choose them."""
import tilewire.language as pl


@pl.program
class Broadcasts:
    @pl.function(type=pl.FunctionType.InCore)
    def rows(self, x: pl.Tensor[[32, 64], pl.FP32], v: pl.Tensor[[32, 1], pl.FP32],
             y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]) -> pl.Tensor[[32, 64], pl.FP32]:
        t = pl.load(x)
        c = pl.load(v)
        t = pl.row_expand_add(t, c)
        t = pl.row_expand_sub(t, c)
        t = pl.row_expand_mul(t, c)
        t = pl.row_expand_div(t, c)
        t = pl.row_expand_max(t, c)
        t = pl.row_expand_min(t, c)
        t = t + pl.row_expand(c, [32, 64])
        t = (t - c) * c
        y = pl.store(t, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def columns(self, x: pl.Tensor[[32, 64], pl.FP32], v: pl.Tensor[[1, 64], pl.FP32],
                y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]) -> pl.Tensor[[32, 64], pl.FP32]:
        t = pl.load(x)
        r = pl.load(v)
        t = pl.col_expand_add(t, r)
        t = pl.col_expand_sub(t, r)
        t = pl.col_expand_mul(t, r)
        t = pl.col_expand_div(t, r)
        t = pl.col_expand_max(t, r)
        t = pl.col_expand_min(t, r)
        t = t + pl.col_expand(r, [32, 64])
        t = (t + r) / r
        y = pl.store(t, [0, 0], y)
        return y
