# run: tilewire print --after convert_tensor_to_tile_ops %s
"""Tensors larger than a tile: blocks of rows, a last block that is not full, whole rows for reductions."""
import tilewire.language as pl

T = pl.Tensor[[500, 300], pl.FP32]


@pl.program
class Large:
    @pl.function(type=pl.FunctionType.InCore)
    def softmax(self, x: pl.Tensor[[500, 300], pl.FP32],
                y: pl.Out[pl.Tensor[[500, 300], pl.FP32]]) -> pl.Tensor[[500, 300], pl.FP32]:
        m = pl.tensor.row_max(x)
        e = pl.tensor.exp(pl.tensor.row_expand_sub(x, m))
        y[...] = pl.tensor.row_expand_div(e, pl.tensor.row_sum(e))
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def columns(self, x: pl.Tensor[[500, 300], pl.FP32], best: pl.Out[pl.Tensor[[500, 1], pl.INT32]],
                y: pl.Out[pl.Tensor[[500, 300], pl.BF16]]) -> pl.Tensor[[500, 300], pl.BF16]:
        s = pl.tensor.col_sum(x)
        t = pl.tensor.col_expand_sub(x, pl.tensor.col_max(x))
        t = pl.tensor.col_expand_add(t, s)
        t = t + pl.tensor.col_expand(pl.tensor.col_min(x), [500, 300])
        best[...] = pl.tensor.row_argmin(t)
        y[...] = pl.tensor.cast(t, pl.BF16)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def product(self, a: pl.Tensor[[300, 200], pl.BF16], b: pl.Tensor[[180, 300], pl.BF16],
                bias: pl.Tensor[[1, 180], pl.FP32],
                c: pl.InOut[pl.Tensor[[200, 180], pl.FP32]], d: pl.Out[pl.Tensor[[200, 180], pl.BF16]],
                e: pl.Out[pl.Tensor[[200, 180], pl.FP32]]) -> pl.Tensor[[200, 180], pl.FP32]:
        c = pl.tensor.matmul_acc(c, a, b, a_trans=True, b_trans=True)
        d[...] = pl.tensor.matmul(a, b, a_trans=True, b_trans=True, out_dtype=pl.BF16)
        e[...] = pl.tensor.matmul_bias(a, b, bias, a_trans=True, b_trans=True)
        return e

    @pl.function(type=pl.FunctionType.InCore)
    def join(self, x: pl.Tensor[[500, 300], pl.FP32], z: pl.Tensor[[20, 300], pl.FP32],
             y: pl.Out[pl.Tensor[[520, 300], pl.FP32]]) -> pl.Tensor[[520, 300], pl.FP32]:
        y[...] = pl.tensor.concat([x, z])
        y[100:520] = y[0:420]
        return y
