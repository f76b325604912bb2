"""Every unary op."""
import tilewire.language as pl


@pl.program
class Unary:
    @pl.function(type=pl.FunctionType.InCore)
    def chain(self, x: pl.Tensor[[32, 128], pl.FP32],
              y: pl.Out[pl.Tensor[[32, 128], pl.FP32]]) -> pl.Tensor[[32, 128], pl.FP32]:
        t = pl.load(x, [0, 0], [32, 128], target_memory=pl.Mem.Vec)
        t = pl.neg(t)
        t = pl.abs(t)
        t = pl.recip(t)
        t = pl.exp(t)
        t = pl.log(t)
        t = pl.sqrt(t)
        t = pl.rsqrt(t)
        t = pl.tile.sin(t)
        t = pl.tile.cos(t)
        t = pl.relu(t)
        t = pl.tanh(t)
        t = pl.sigmoid(t)
        y = pl.store(-t, [0, 0], y)
        return y
