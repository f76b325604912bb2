"""No silent promotion: both dtypes are named, and the cast to write."""
import tilewire.language as pl


@pl.program
class Mixed:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[16, 64], pl.FP32], h: pl.Tensor[[16, 64], pl.FP16],
               i: pl.Tensor[[16, 64], pl.INT32], n: pl.Scalar[pl.INT32], f: pl.Scalar[pl.FP32],
               y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        a = pl.load(x) + pl.load(h)
        b = pl.load(i) * 1.5
        c = pl.load(x) & pl.load(x)
        d = n + f
        e = n / 2
        g = f << 1
        k = pl.const(300, pl.INT8)
        m = pl.load(x) + n
        y = pl.store(pl.load(h), [0, 0], y)
        o = pl.matmul(pl.load(x), pl.load(h), b_trans=True)
        y = pl.write(y, [0, 0], n)
        if n:
            pass
        if f and n > 0:
            pass
        return y
