"""Constants the reader must leave alone: typed operands, conditions, extremes, infinities."""
import tilewire.language as pl


@pl.program
class Constants:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, n: pl.Scalar[pl.INDEX], h: pl.Scalar[pl.FP16], flag: pl.Scalar[pl.BOOL],
               x: pl.Tensor[[16, 64], pl.FP16], out: pl.Out[pl.Tensor[[16], pl.FP32]],
               low: pl.Out[pl.Tensor[[4], pl.INT64]]) -> pl.Tuple[pl.Tensor[[16], pl.FP32],
                                                                 pl.Tensor[[4], pl.INT64]]:
        two = pl.const(2, pl.INDEX)
        four = pl.const(2, pl.INDEX) + pl.const(2, pl.INDEX)
        minus = -pl.const(2, pl.INDEX)
        big = (-2) ** n + n ** -pl.const(1, pl.INDEX)
        low[0] = pl.cast(two + four + minus + big, pl.INT64)
        low[1] = -9223372036854775807 - 1
        low[2] = 9223372036854775807
        half = pl.const(0.1, pl.FP16) + h
        out[0] = pl.cast(half * 3, pl.FP32)
        out[1] = float("inf")
        out[2] = float("-inf")
        out[3] = float("nan")
        out[4] = -0.0
        out[5] = 1e-45
        out[6] = 3.4028235e38
        out[7] = 0.1
        out[8] = 16777216.0
        yes = pl.const(True, pl.BOOL)
        if pl.const(True, pl.BOOL):
            out[9] = 1.0
        if yes and flag:
            out[10] = 1.0
        else:
            pass
        if flag and pl.const(False, pl.BOOL) or not pl.const(True, pl.BOOL):
            out[11] = 2.0
        if pl.const(1, pl.INDEX) < pl.const(2, pl.INDEX):
            out[12] = 3.0
        for _ in pl.while_():
            pl.cond(pl.const(False, pl.BOOL))
            out2 = pl.tensor.read(out, [0])
        t = pl.load(x) + 0.3
        t = pl.maximum(t, pl.const(65504.0, pl.FP16))
        t = pl.sel(t > 1, t, 2)
        t = pl.sel(t > 1, 1.5, pl.const(2.5, pl.FP16))
        out[13] = pl.cast(pl.read(t, [0, 0]), pl.FP32)
        shifted = (n << 3 | 1) ^ 5 & ~n
        out[14] = pl.cast(shifted - (n - (3 - n)) * -2 // (n % 7 + 1), pl.FP32)
        return out, low
