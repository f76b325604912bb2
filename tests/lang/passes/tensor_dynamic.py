# run: tilewire print --after convert_tensor_to_tile_ops %s
"""Extents known only at run time: loops over blocks with valid shapes, reductions that go from part to part."""
import tilewire.language as pl

N = pl.dynamic("N")
M = pl.dynamic("M")
K = pl.dynamic("K")


@pl.program
class Dynamic:
    @pl.function(type=pl.FunctionType.InCore)
    def rows(self, x: pl.Tensor[[N, 64], pl.FP32], k: pl.Scalar[pl.FP32],
             y: pl.Out[pl.Tensor[[N, 64], pl.FP32]]) -> pl.Tensor[[N, 64], pl.FP32]:
        t = pl.tensor.mul(x, k)
        y[...] = pl.tensor.row_expand_add(t, pl.tensor.row_max(t))
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def both(self, x: pl.Tensor[[N, M], pl.INT32], s: pl.Out[pl.Tensor[[N, 1], pl.INT32]],
             first: pl.Out[pl.Tensor[[N, 1], pl.INT32]], lows: pl.Out[pl.Tensor[[1, M], pl.INT32]],
             y: pl.Out[pl.Tensor[[N, M], pl.INT32]]) -> pl.Tensor[[N, M], pl.INT32]:
        s[...] = pl.tensor.row_sum(x)
        first[...] = pl.tensor.row_argmax(x)
        lows[...] = pl.tensor.col_min(x)
        t = pl.tensor.sel(pl.tensor.cmp(x, 3, op="gt"), x, 0)
        t = pl.tensor.row_expand_mul(t, s)
        t = pl.tensor.col_expand_add(t, pl.tensor.col_sum(x))
        t = t + pl.tensor.arange([N, M], axis=0, start=7) - pl.tensor.full([N, M], dtype=pl.INT32, value=2)
        y[...] = t + pl.tensor.row_expand(pl.tensor.row_min(x), [N, M])
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def product(self, a: pl.Tensor[[N, K], pl.INT8], b: pl.Tensor[[K, M], pl.INT8],
                c: pl.Out[pl.Tensor[[N, M], pl.INT32]]) -> pl.Tensor[[N, M], pl.INT32]:
        c[...] = pl.tensor.matmul(a, b)
        return c

    @pl.function(type=pl.FunctionType.InCore)
    def picked(self, x: pl.Tensor[[N, M], pl.FP16], index: pl.Tensor[[N, 5], pl.INT32],
               y: pl.Out[pl.Tensor[[N, 5], pl.FP16]], z: pl.InOut[pl.Tensor[[N, M], pl.FP16]]) -> pl.Tensor[[N, M], pl.FP16]:
        g = pl.tensor.gather(x, index, axis=1)
        y[...] = g
        z = pl.tensor.scatter(z, index, g, axis=1)
        return z
