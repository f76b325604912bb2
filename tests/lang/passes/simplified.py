# run: tilewire print --after simplify %s
"""Constants folded, branches and loops opened, `pl.unroll` written out, unused work dropped."""
import tilewire.language as pl

BIG = True


@pl.program
class Simplified:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX],
               y: pl.Out[pl.Tensor[[64, 64], pl.FP32]], z: pl.Out[pl.Tensor[[8], pl.INT32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        rows = pl.dim(x, 0)
        half = rows // 2
        unused = pl.exp(pl.load(x))
        for i in pl.range(0, half, 32):
            t = pl.load(x, [i * half, 0], [32, 64])
            if i == 0:
                t = t * 2.0
            y = pl.store(t, [half - 32 + n * 1, 0], y)
        for i in pl.range(half, 32):
            y = pl.store(pl.load(x), [0, 0], y)
        small = pl.const(100, pl.INT8)
        z[0] = pl.cast(small + small, pl.INT32)
        z[1] = pl.cast(pl.const(-7, pl.INT32) // pl.const(2, pl.INT32), pl.INT32)
        z[2] = pl.cast(pl.const(-7, pl.INT32) % pl.const(2, pl.INT32), pl.INT32)
        for i in pl.range(n):
            u = pl.load(x, [0, 0], [8, 8]) + 1.0
        v = pl.load(x, [0, 0], [8, 8])
        for c in pl.unroll(48, 0, -16):
            for r in pl.unroll(2):
                v = v + pl.load(x, [r * 8, c], [8, 8])
        y = pl.store(v, [0, 0], y)
        for i in pl.unroll(17):
            z[3] = z[3] + pl.cast(i, pl.INT32)
        if n > 5 and BIG:
            w = n + 1
        return y
