"""Tensors of rank 1, 3 and 4 loaded as tiles."""
import tilewire.language as pl


@pl.program
class Ranks:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, v: pl.Tensor[[256], pl.FP32], x: pl.Tensor[[4, 16, 64], pl.FP32],
               z: pl.Tensor[[2, 4, 16, 64], pl.FP32], flat: pl.Out[pl.Tensor[[64], pl.FP32]],
               y: pl.Out[pl.Tensor[[2, 4, 16, 64], pl.FP32]]) -> pl.Tuple[
                   pl.Tensor[[64], pl.FP32], pl.Tensor[[2, 4, 16, 64], pl.FP32]]:
        row = pl.load(v, [64], [64])
        flat = pl.store(row * 2.0, [0], flat)
        for i in pl.range(4):
            t = pl.load(x, [i, 0, 0], [1, 16, 64])
            for j in pl.range(2):
                u = pl.load(z, [j, i, 0, 0], [1, 1, 16, 64])
                y = pl.store(t + u + row, [j, i, 0, 0], y)
        return flat, y
