# run: tilewire print --after convert_tensor_to_tile_ops %s
"""Tensors of rank 1 and 3: one row, and a loop over the leading dimension."""
import tilewire.language as pl


@pl.program
class Ranks:
    @pl.function(type=pl.FunctionType.InCore)
    def vectors(self, x: pl.Tensor[[200], pl.FP32], big: pl.Tensor[[100000], pl.FP32],
                y: pl.Out[pl.Tensor[[200], pl.FP32]],
                z: pl.Out[pl.Tensor[[100000], pl.FP32]]) -> pl.Tensor[[200], pl.FP32]:
        y[...] = pl.tensor.sqrt(pl.tensor.abs(x)) + pl.tensor.arange([200], dtype=pl.FP32)
        z[...] = pl.tensor.mul(big, big)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def batches(self, x: pl.Tensor[[3, 40, 50], pl.FP32], w: pl.Tensor[[3, 50, 20], pl.FP32],
                s: pl.Out[pl.Tensor[[3, 40, 1], pl.FP32]], n: pl.Out[pl.Tensor[[3, 40, 20], pl.INT32]],
                y: pl.Out[pl.Tensor[[3, 40, 20], pl.FP32]]) -> pl.Tensor[[3, 40, 20], pl.FP32]:
        s[...] = pl.tensor.row_sum(x)
        n[...] = pl.tensor.arange([3, 40, 20], axis=0)
        p = pl.tensor.batch_matmul(x, w)
        y[...] = pl.tensor.row_expand_mul(p, s)
        return y
