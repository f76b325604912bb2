"""Tensors with a layout, with strides, and an array of strided rows."""
import tilewire.language as pl

N = pl.dynamic("N")


@pl.program
class Views:
    @pl.function(type=pl.FunctionType.InCore)
    def column_major(self, x: pl.Tensor[[64, 32], pl.FP16, pl.DN],
                     y: pl.Out[pl.Tensor[[64, 32], pl.FP16, pl.NZ]]) -> pl.Tensor[[64, 32], pl.FP16, pl.NZ]:
        y = pl.store(pl.load(x, [0, 0], [64, 32]), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def strided(self, x: pl.Tensor[[N, 32], pl.FP32, pl.TensorView(stride=[64, 1])],
                y: pl.Out[pl.Tensor[[N, 32], pl.FP32, pl.TensorView(stride=[1, N], layout=pl.DN)]]) -> pl.Tensor[
                    [N, 32], pl.FP32, pl.TensorView(stride=[1, N], layout=pl.DN)]:
        for r in pl.range(0, pl.dim(x, 0), 8):
            y = pl.store(pl.load(x, [r, 0], [8, 32]), [r, 0], y)
        return y
