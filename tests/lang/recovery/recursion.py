"""Functions that call themselves, directly and around a corner."""
import tilewire.language as pl


@pl.program
class Recursion:
    @pl.function(type=pl.FunctionType.Inline)
    def twice(self, t):
        return self.again(t)

    @pl.function(type=pl.FunctionType.Inline)
    def again(self, t):
        return self.twice(t)

    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        y = pl.store(self.twice(pl.load(x)), [0, 0], y)
