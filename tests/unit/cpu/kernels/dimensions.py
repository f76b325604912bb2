"""Dimensions that no parameter has by itself follow from the extents they are part of."""
# run: solved
# run: two_steps dim.M=2
import tilewire.language as pl

N = pl.dynamic("N")
M = pl.dynamic("M")


@pl.program
class Dimensions:
    @pl.function(type=pl.FunctionType.InCore)
    def solved(self, x: pl.Tensor[[N * 4, 16], pl.FP32], y: pl.Out[pl.Tensor[[N * 4, 16], pl.FP32]]):
        for i in pl.range(N):
            y = pl.store(pl.load(x, [i * 4, 0], [4, 16]) * 2.0, [i * 4, 0], y)

    @pl.function(type=pl.FunctionType.InCore)
    def two_steps(self, a: pl.Tensor[[M, 8], pl.FP32], x: pl.Tensor[[N * M + 4, 16], pl.FP32],
                  y: pl.Out[pl.Tensor[[N * M + 4, 16], pl.FP32]]):
        for i in pl.range(N):
            y = pl.store(pl.load(x, [i * M, 0], [2, 16]) + 1.0, [i * M, 0], y)
