# run: tilewire print --after convert_tensor_to_tile_ops %s
"""Runs of ops in one loop: small values between, in place, used behind the run, stopped by an overlap."""
import tilewire.language as pl

N = pl.dynamic("N")
M = pl.dynamic("M")


@pl.program
class Groups:
    @pl.function(type=pl.FunctionType.InCore)
    def layernorm(self, x: pl.Tensor[[700, 256], pl.FP32], scale: pl.Tensor[[1, 256], pl.FP32],
                  y: pl.Out[pl.Tensor[[700, 256], pl.FP32]]) -> pl.Tensor[[700, 256], pl.FP32]:
        mean = pl.tensor.row_sum(x) * 0.00390625
        d = pl.tensor.row_expand_sub(x, mean)
        var = pl.tensor.row_sum(d * d) * 0.00390625
        d = pl.tensor.row_expand_mul(d, pl.tensor.rsqrt(var + 1e-5))
        y[...] = pl.tensor.col_expand_mul(d, scale)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def in_place(self, x: pl.InOut[pl.Tensor[[N, 300], pl.FP32]], w: pl.InOut[pl.Tensor[[N, M], pl.FP32]],
                 k: pl.Scalar[pl.FP32]) -> pl.Tensor[[N, 300], pl.FP32]:
        half = k * 0.5
        x[...] = pl.tensor.maximum(x * half, 0.0) + x
        w[...] = pl.tensor.exp(w * half)
        return x

    @pl.function(type=pl.FunctionType.InCore)
    def escapes(self, x: pl.Tensor[[N, 64], pl.FP32], y: pl.Out[pl.Tensor[[N, 64], pl.FP32]],
                s: pl.Out[pl.Tensor[[1, 64], pl.FP32]]) -> pl.Tensor[[N, 64], pl.FP32]:
        e = pl.tensor.exp(x)
        f = e + 1.0
        y[...] = f * e
        s[...] = pl.tensor.col_max(f)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def overlaps(self, x: pl.InOut[pl.Tensor[[900, 100], pl.FP32]]) -> pl.Tensor[[900, 100], pl.FP32]:
        a = pl.tensor.mul(x[0:800], 2.0)
        x[100:900] = a + 1.0
        x[0:800] = pl.tensor.neg(x[0:800])
        b = pl.tensor.mul(x, x)
        x[...] = b + x
        return x

    @pl.function(type=pl.FunctionType.InCore)
    def product(self, a: pl.Tensor[[600, 300], pl.FP16], b: pl.Tensor[[300, 400], pl.FP16],
                c: pl.Out[pl.Tensor[[2, 600, 400], pl.FP32]]) -> pl.Tensor[[2, 600, 400], pl.FP32]:
        d = pl.create_tensor([600, 500], dtype=pl.FP32)
        d[:, 50:450] = pl.tensor.matmul(a, b)
        t = d[0:600, 50:450]
        c[1, 0:16] = pl.load(t, [0, 0], [16, 400])
        for i in pl.range(2):
            c = pl.tensor.assemble(c, pl.reshape(pl.tensor.add(t, t), [1, 600, 400]), [i, 0, 0])
        return c
