"""Every scalar operator, in the dtypes it is defined for."""
import tilewire.language as pl


@pl.program
class Scalars:
    @pl.function(type=pl.FunctionType.InCore)
    def integers(self, a: pl.Scalar[pl.INT32], b: pl.Scalar[pl.INT32], w: pl.Scalar[pl.INT64],
                 out: pl.Out[pl.Tensor[[16], pl.INT64]]) -> pl.Tensor[[16], pl.INT64]:
        c = (a + b) * 3 - a // 2
        d = a % 7 + (a << 2) - (b >> 1)
        e = (a & 15) | (b ^ c)
        f = -d + abs(e) + min(a, b) + max(c, 4)
        g = ~f ** 2
        out = pl.write(out, [0], g + w)
        out = pl.write(out, [1], pl.const(-3, pl.INT64) + w)
        out = pl.write(out, [a % 16], pl.cast(c, pl.INT64))
        return out

    @pl.function(type=pl.FunctionType.InCore)
    def floats(self, x: pl.Scalar[pl.FP32], h: pl.Scalar[pl.FP16],
               out: pl.Out[pl.Tensor[[4], pl.FP32]]) -> pl.Tensor[[4], pl.FP32]:
        y = (x + 1) / 2.5 - x ** 2
        z = pl.cast(h * 0.1 + pl.const(1.5, pl.FP16), pl.FP32)
        out[0] = min(y, z)
        out[1] = max(y, 0.25)
        out[2] = abs(-x)
        out[3] = float("inf")
        return out

    @pl.function(type=pl.FunctionType.InCore)
    def logic(self, a: pl.Scalar[pl.INDEX], b: pl.Scalar[pl.INDEX], flag: pl.Scalar[pl.BOOL],
              out: pl.Out[pl.Tensor[[8], pl.INT32]]) -> pl.Tensor[[8], pl.INT32]:
        if a == b and flag:
            out[0] = 1
        if a != b or not flag:
            out[1] = 1
        if 0 <= a < b:
            out[2] = 1
        if not (a > b and (flag or a >= 3)):
            out[3] = 1
        if a <= b:
            out[4] = pl.const(1, pl.INT32) if flag else pl.const(2, pl.INT32)
        both = a < 4 and b < 4
        if both:
            out[5] = 1
        return out
