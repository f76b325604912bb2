"""Arguments that do not fit an op: too many, missing, twice, of the wrong kind."""
import tilewire.language as pl


@pl.program
class Arguments:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[16, 64], pl.FP32], n: pl.Scalar[pl.INT32], flag: pl.Scalar[pl.BOOL],
               y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        t = pl.load(x)
        a = pl.exp(t, t)
        b = pl.tile.add(t)
        c = pl.tile.add(t, b=t, a=t)
        d = pl.exp(x=n)
        e = pl.load(t, [0, 0], [16, 64])
        f = pl.load(x, [0], [16, 64])
        g = pl.load(x, [0, flag], [16, 64])
        h = pl.load(x, 0, [16, 64])
        i = pl.load(x, [0, 0.5], [16, 64])
        j = pl.cast(t, "FP16")
        k = pl.cmp(t, t, op="less")
        m = pl.matmul(t, t, a_trans=1)
        o = pl.full([16, 64], value=1.0)
        y = pl.store(y, [0, 0], t)
        return y
