"""Branches: values merged, tensors rebound, chains of elif, nesting, names local to a branch."""
import tilewire.language as pl


@pl.program
class Branches:
    @pl.function(type=pl.FunctionType.InCore)
    def choose(self, x: pl.Tensor[[16, 64], pl.FP32], mode: pl.Scalar[pl.INT32],
               y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        t = pl.load(x)
        if mode == 0:
            t = pl.exp(t)
            scale = 1
        elif mode == 1:
            t = pl.log(t)
            scale = 2
        elif mode == 2:
            other = pl.sqrt(t)
            t = other * other
            scale = 3
        else:
            if mode > 10:
                t = -t
            scale = 4
        if scale > 2:
            y = pl.store(t, [0, 0], y)
        else:
            y = pl.store(t * 0.5, [0, 0], y)
        if mode < 0:
            pass
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[16, 64], pl.FP32], mode: pl.Scalar[pl.INT32],
             y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        if mode >= 0:
            y = self.choose(x, mode, y)
        else:
            y = self.choose(x, -mode, y)
        return y
