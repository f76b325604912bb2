"""Control flow that is not allowed where it stands."""
import tilewire.language as pl


@pl.program
class Control:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[16, 64], pl.FP32], n: pl.Scalar[pl.INT32],
               y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        for i in pl.parallel(4):
            if n > 2:
                break
        for i in pl.range(0, 4, 0):
            pass
        for i in pl.range(0, 4, n):
            pass
        for i in range(4):
            pass
        for i in pl.range(4):
            return y
        for i in pl.pipeline(4):
            pass
        for i in pl.range(4, stage=2):
            pass
        for i, (a, b) in pl.range(4, init_values=(1,)):
            a1 = pl.yield_(a)
        for (a,) in pl.while_(init_values=(1,)):
            a2 = pl.yield_(a)
        break
        with pl.at(level=pl.Level.CORE_GROUP):
            pass
        return y
        y = pl.store(pl.load(x), [0, 0], y)
