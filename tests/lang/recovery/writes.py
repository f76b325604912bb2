"""Assignments: to an output by name only, to what cannot be assigned, to parts that are not there."""
import tilewire.language as pl


@pl.program
class Writes:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[16, 64], pl.FP32], n: pl.Scalar[pl.INT32],
               y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        x[0, 0] = 1.0
        n[0] = 3
        y.shape = 4
        a, b = pl.load(x)
        a, b, c = 1, 2
        (a + b) = 3
        pl.exp(pl.load(x))
        x
        t: pl.Tile[[16, 32], pl.FP32] = pl.load(x)
        u: pl.Tile[[16, 64], pl.FP32]
        return y
