"""The first kernel: two vectors added tile by tile."""
import tilewire.language as pl


@pl.program
class VectorAdd:
    @pl.function(type=pl.FunctionType.InCore)
    def add(self, a: pl.Tensor[[64, 256], pl.FP32], b: pl.Tensor[[64, 256], pl.FP32],
            c: pl.Out[pl.Tensor[[64, 256], pl.FP32]]) -> pl.Tensor[[64, 256], pl.FP32]:
        """c = a + b"""
        for r in pl.range(0, 64, 16):
            ta = pl.load(a, [r, 0], [16, 256])
            tb = pl.load(b, [r, 0], [16, 256])
            c = pl.store(ta + tb, [r, 0], c)
        return c

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[64, 256], pl.FP32], b: pl.Tensor[[64, 256], pl.FP32],
             c: pl.Out[pl.Tensor[[64, 256], pl.FP32]]) -> pl.Tensor[[64, 256], pl.FP32]:
        c = self.add(a, b, c)
        return c
