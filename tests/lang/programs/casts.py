"""Conversions between element types, with every rounding mode."""
import tilewire.language as pl


@pl.program
class Casts:
    @pl.function(type=pl.FunctionType.InCore)
    def tiles(self, x: pl.Tensor[[16, 64], pl.FP32],
              y: pl.Out[pl.Tensor[[16, 64], pl.INT32]]) -> pl.Tensor[[16, 64], pl.INT32]:
        t = pl.load(x)
        half = pl.cast(t, pl.FP16)
        brain = pl.cast(t, pl.BF16, mode="round")
        small = pl.cast(pl.cast(half, pl.FP32), pl.INT32, mode=pl.RoundMode.Floor)
        other = pl.cast(pl.cast(brain, pl.FP32), pl.INT32, mode="ceil")
        third = pl.cast(t, pl.INT32, mode="trunc")
        fourth = pl.cast(pl.cast(pl.cast(t, pl.BF16, mode="odd"), pl.FP32), pl.INT32)
        fifth = pl.tile.cast(t, target_type=pl.INT32, mode="rint")
        y = pl.store(small + other + third + fourth + fifth, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def scalars(self, n: pl.Scalar[pl.INT32], f: pl.Scalar[pl.FP32],
                y: pl.Out[pl.Tensor[[8], pl.FP32]]) -> pl.Tensor[[8], pl.FP32]:
        g = pl.cast(n, pl.FP32) * f
        k = pl.cast(g, pl.INT64)
        y = pl.write(y, [0], g)
        y = pl.write(y, [1], pl.cast(k + 1, pl.FP32))
        y = pl.write(y, [k % 8], pl.cast(pl.cast(n, pl.INDEX) + k, pl.FP32))
        return y
