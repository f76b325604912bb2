"""Decorators, parameters, returns and calls that do not fit."""
import tilewire.language as pl


@pl.program
class Functions:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[16, 64], pl.FP32], k: pl.Scalar[pl.FP32],
               y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        y = pl.store(pl.load(x) * k, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def returns(self, x: pl.Tensor[[16, 64], pl.FP32]) -> pl.Tensor[[16, 32], pl.FP32]:
        return x

    @pl.function(type=pl.FunctionType.InCore)
    def nothing(self, x: pl.Tensor[[16, 64], pl.FP32]) -> pl.Tensor[[16, 64], pl.FP32]:
        t = pl.load(x)

    @pl.function(type=pl.FunctionType.InCore)
    def scalar_out(self, n: pl.Out[pl.Scalar[pl.INT32]]):
        pass

    @pl.function(type=pl.FunctionType.Kernel)
    def unknown_type(self):
        pass

    @pl.function(type=pl.FunctionType.InCore, attrs={"splitt": pl.SplitMode.UP_DOWN})
    def unknown_attribute(self):
        pass

    @pl.function(type=pl.FunctionType.InCore)
    def no_type(self, x: pl.FP32, y: pl.Tensor, z: 3):
        pass

    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self):
        pass

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[16, 64], pl.FP32], h: pl.Tensor[[16, 64], pl.FP16],
             y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        y = self.kernel(x, 1.0)
        y = self.kernel(x, 1.0, y, y)
        y = self.kernel(h, 1.0, y)
        y = self.kernel(x, x, y)
        y = self.kernel(x, 1.0, y, z=3)
        y = self.kernel(x, 1.0, y, x=x)
        return y
