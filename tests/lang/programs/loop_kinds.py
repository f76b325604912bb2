"""range with negative steps, parallel, unroll, pipeline, and bounds that are scalars."""
import tilewire.language as pl

LAST = 48


@pl.program
class Loops:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INT32],
               y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        for r in pl.range(LAST, -1, -16):
            y = pl.store(pl.load(x, [r, 0], [16, 64]), [r, 0], y)
        for r in pl.parallel(4):
            y = pl.store(pl.load(x, [r * 16, 0], [16, 64]), [r * 16, 0], y)
        for c in pl.unroll(0, 64, 32):
            y = pl.store(pl.load(x, [0, c], [16, 32]), [0, c], y)
        total = pl.full([16, 64], dtype=pl.FP32, value=0.0)
        for r in pl.pipeline(0, 64, 16, stage=3):
            total = total + pl.load(x, [r, 0], [16, 64])
        for offset in pl.range(n % 16, LAST + 1, 16):
            y = pl.store(total, [offset, 0], y)
        for _ in pl.range(2):
            for _ in pl.range(3):
                pass
        return y
