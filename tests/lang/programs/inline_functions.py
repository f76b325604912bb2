"""Inline functions of a program: spliced at the call, with any kind of argument."""
import tilewire.language as pl


@pl.program
class Inlined:
    @pl.function(type=pl.FunctionType.Inline)
    def gelu(self, t):
        inner = (t + t * t * t * 0.044715) * 0.7978846
        return t * 0.5 * (pl.tanh(inner) + 1.0)

    @pl.function(type=pl.FunctionType.Inline)
    def load_block(self, x, where, shape, scale=None):
        t = pl.load(x, where, shape)
        if scale is not None:
            t = t * scale
        return t

    @pl.function(type=pl.FunctionType.Inline)
    def repeat(self, t, times):
        for _ in pl.range(times):
            t = self.gelu(t)
        return t

    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX],
               y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        a = self.load_block(x, [0, 0], [16, 64])
        b = self.load_block(x, [n * 16, 0], [16, 64], scale=3.0)
        t = self.repeat(self.gelu(a) + b, n)
        y = pl.store(t, [0, 0], y)
        return y
