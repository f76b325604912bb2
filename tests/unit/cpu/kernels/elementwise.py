# run: add a=2
# run: add a=2 same
# run: main
# run: chain k=0.5
# run: chain k=0.5 strided
# run: add strided same
import tilewire.language as pl


@pl.program
class Elementwise:
    @pl.function(type=pl.FunctionType.InCore)
    def add(self, a: pl.Tensor[[64, 256], pl.FP32], b: pl.Tensor[[64, 256], pl.FP32], c: pl.Out[pl.Tensor[[64, 256], pl.FP32]]):
        for r in pl.range(0, 64, 16):
            ta = pl.load(a, [r, 0], [16, 256])
            tb = pl.load(b, [r, 0], [16, 256])
            c = pl.store(pl.add(ta, tb), [r, 0], c)
        return c

    @pl.function(type=pl.FunctionType.InCore)
    def chain(self, a: pl.Tensor[[37, 53], pl.FP32], k: pl.Scalar[pl.FP32], c: pl.Out[pl.Tensor[[37, 53], pl.FP32]]):
        t = pl.load(a, [0, 0], [37, 53])
        u = pl.mul(t, k)
        v = pl.exp(pl.sub(u, t))
        w = pl.maximum(pl.div(v, t), u)
        c = pl.store(pl.add(w, pl.neg(v)), [0, 0], c)
        return c

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[64, 256], pl.FP32], b: pl.Tensor[[64, 256], pl.FP32], c: pl.Out[pl.Tensor[[64, 256], pl.FP32]]):
        c = self.add(a, b, c)
        return c
