"""Quantisation to eight bits with a scale per row, and back."""
import tilewire.language as pl

LIMIT = 448.0


@pl.program
class Quantise:
    @pl.function(type=pl.FunctionType.InCore)
    def down(self, x: pl.Tensor[[32, 128], pl.BF16], q: pl.Out[pl.Tensor[[32, 128], pl.FP8E4M3FN]],
             scales: pl.Out[pl.Tensor[[32, 1], pl.FP32]]) -> pl.Tuple[pl.Tensor[[32, 128], pl.FP8E4M3FN],
                                                                     pl.Tensor[[32, 1], pl.FP32]]:
        t = pl.cast(pl.load(x), pl.FP32)
        peak = pl.row_max(pl.abs(t))
        scale = pl.maximum(peak / LIMIT, 1e-12)
        q = pl.store(pl.cast(t / scale, pl.FP8E4M3FN), [0, 0], q)
        scales = pl.store(scale, [0, 0], scales)
        return q, scales

    @pl.function(type=pl.FunctionType.InCore)
    def up(self, q: pl.Tensor[[32, 128], pl.FP8E4M3FN], scales: pl.Tensor[[32, 1], pl.FP32],
           y: pl.Out[pl.Tensor[[32, 128], pl.BF16]]) -> pl.Tensor[[32, 128], pl.BF16]:
        t = pl.cast(pl.load(q), pl.FP32) * pl.load(scales)
        y = pl.store(pl.cast(t, pl.BF16), [0, 0], y)
        return y
