# run: tilewire print --after expand_ops %s
"""Ops that are made of others: on tiles and on tensors, in FP32 with one rounding."""
import tilewire.language as pl


@pl.program
class Expanded:
    @pl.function(type=pl.FunctionType.InCore)
    def tiles(self, x: pl.Tensor[[16, 64], pl.BF16], y: pl.Out[pl.Tensor[[16, 64], pl.BF16]]) -> pl.Tensor[[16, 64], pl.BF16]:
        t = pl.load(x)
        y = pl.store(pl.clamp(pl.softmax(t), 0.125, t), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def tensors(self, x: pl.Tensor[[100, 700], pl.FP32], w: pl.Tensor[[1, 700], pl.FP32],
                y: pl.Out[pl.Tensor[[100, 700], pl.FP32]]) -> pl.Tensor[[100, 700], pl.FP32]:
        y[:, :] = pl.rms_norm(x, w, eps=0.5)
        return y
