"""Shapes that do not fit, regions out of bounds."""
import tilewire.language as pl


@pl.program
class Shapes:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[32, 64], pl.FP32], n: pl.Scalar[pl.INDEX], z: pl.Tensor[[4, 16, 64], pl.FP32],
               y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]) -> pl.Tensor[[32, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [16, 64])
        u = pl.load(x, [0, 0], [32, 32])
        a = t + u
        b = pl.load(x, [24, 0], [16, 64])
        c = pl.load(x, [0, 0], [n, 64])
        d = pl.load(x, [0, 0], [16, 64], valid_shape=[17, 64])
        e = pl.load(z, [0, 0, 0], [2, 16, 64])
        f = pl.matmul(t, t)
        g = pl.reshape(t, [16, 65])
        h = t[0:n, :]
        i = t[8:24, :]
        j = x[32, 0]
        k = pl.concat([t, u], axis=0)
        m = pl.row_expand_add(t, pl.row_sum(u))
        y = pl.store(t, [0], y)
        y = pl.store(t, [40, 0], y)
        y[0:8, :] = t
        o = pl.transpose(t, axis1=2)
        return y
