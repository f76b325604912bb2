"""NumPy rules on tensors: scalars drop a dimension, slices keep it, whole regions are written."""
import tilewire.language as pl


@pl.program
class Indexing:
    @pl.function(type=pl.FunctionType.InCore)
    def scale(self, x: pl.Tensor[[32, 64], pl.FP32], k: pl.Scalar[pl.FP32],
              y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]) -> pl.Tensor[[32, 64], pl.FP32]:
        y[...] = pl.load(x) * k
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def edges(self, x: pl.Tensor[[4, 32, 64], pl.FP32],
              y: pl.InOut[pl.Tensor[[4, 32, 64], pl.FP32]]) -> pl.Tensor[[4, 32, 64], pl.FP32]:
        first = x[0, 0, 0]
        last = x[3, 31, 63]
        y[1, 2, 3] = first + last
        part = x[1, 0:16, 8:40]
        y[2, 16:32, 0:32] = pl.load(part) + first
        for i in pl.range(4):
            row = x[i]
            y[i, 0:8, :] = pl.load(row[0:8])
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[4, 32, 64], pl.FP32], k: pl.Scalar[pl.FP32],
             y: pl.InOut[pl.Tensor[[4, 32, 64], pl.FP32]]) -> pl.Tensor[[4, 32, 64], pl.FP32]:
        for i in pl.range(4):
            self.scale(x[i], k, y[i])
        y = self.edges(x, y)
        return y
