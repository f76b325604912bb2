"""Every binary op, tile with tile and tile with scalar, by name and by operator."""
import tilewire.language as pl

N = 64


@pl.program
class Binary:
    @pl.function(type=pl.FunctionType.InCore)
    def floats(self, x: pl.Tensor[[16, N], pl.FP32], y: pl.Tensor[[16, N], pl.FP32], s: pl.Scalar[pl.FP32],
               out: pl.Out[pl.Tensor[[16, N], pl.FP32]]) -> pl.Tensor[[16, N], pl.FP32]:
        a = pl.load(x)
        b = pl.load(y)
        t = pl.tile.add(a, b)
        t = pl.tile.sub(t, a)
        t = pl.tile.mul(t, b)
        t = pl.tile.div(t, 3)
        t = pl.tile.rem(t, 2.5)
        t = pl.maximum(t, s)
        t = pl.minimum(t, b)
        t = (t + 1.0) * b - a / s
        t = -t % b
        out = pl.store(t, [0, 0], out)
        return out

    @pl.function(type=pl.FunctionType.InCore)
    def integers(self, x: pl.Tensor[[16, N], pl.INT32], y: pl.Tensor[[16, N], pl.INT32],
                 out: pl.Out[pl.Tensor[[16, N], pl.INT32]]) -> pl.Tensor[[16, N], pl.INT32]:
        a = pl.load(x)
        b = pl.load(y)
        t = pl.and_(a, b)
        t = pl.or_(t, 7)
        t = pl.xor(t, b)
        t = pl.shl(t, 2)
        t = pl.shr(t, 1)
        t = (t & b) | (a ^ 255)
        t = (t << 1) >> 1
        t = pl.not_(t)
        out = pl.store(t, [0, 0], out)
        return out

    @pl.function(type=pl.FunctionType.InCore)
    def select(self, x: pl.Tensor[[16, N], pl.FP32], y: pl.Tensor[[16, N], pl.FP32],
               out: pl.Out[pl.Tensor[[16, N], pl.FP32]]) -> pl.Tensor[[16, N], pl.FP32]:
        a = pl.load(x)
        b = pl.load(y)
        mask = pl.cmp(a, b, op="lt")
        t = pl.sel(mask, a, b)
        t = pl.sel(t > 0.0, t, a)
        t = pl.sel(t == b, t, b)
        t = pl.sel(pl.cmp(t, 1.0, op=pl.CmpOp.Ge), t, b)
        out[...] = t
        return out
