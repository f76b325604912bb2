"""Values that a branch or loop does not define on every path, or defines with different types."""
import tilewire.language as pl


@pl.program
class Paths:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[16, 64], pl.FP32], n: pl.Scalar[pl.INT32],
               y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        if n > 0:
            t = pl.load(x)
        y = pl.store(t, [0, 0], y)
        if n > 1:
            u = pl.load(x)
        else:
            u = pl.load(x, [0, 0], [8, 64])
        y = pl.store(u, [0, 0], y)
        for i in pl.range(n):
            v = pl.load(x)
        y = pl.store(v, [0, 0], y)
        w = pl.load(x)
        for i in pl.range(n):
            w = pl.cast(w, pl.FP16)
        count = 0
        while count < n:
            count = count + 0.5
        return y
