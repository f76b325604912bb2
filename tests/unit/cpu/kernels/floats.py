# run: exact dtype=FP32 tolerance=0
# run: sums dtype=FP32
# run: maths dtype=FP32 range.x=0.25..4
# run: exact dtype=FP16 tolerance=0
# run: sums dtype=FP16
# run: maths dtype=FP16 range.x=0.25..4
# run: exact dtype=BF16 tolerance=0
# run: sums dtype=BF16
# run: maths dtype=BF16 range.x=0.25..4
# run: exact dtype=FP8E4M3FN tolerance=0
# run: sums dtype=FP8E4M3FN
# run: maths dtype=FP8E4M3FN range.x=0.25..4
# run: exact dtype=FP8E5M2 tolerance=0
# run: sums dtype=FP8E5M2
# run: maths dtype=FP8E5M2 range.x=0.25..4
import tilewire.language as pl


@pl.program
class Types:
    @pl.function(type=pl.FunctionType.InCore)
    def exact(self, x: pl.Tensor[[5, 37], pl.DTYPE], z: pl.Tensor[[5, 37], pl.DTYPE], k: pl.Scalar[pl.DTYPE], y: pl.Out[pl.Tensor[[9, 5, 37], pl.DTYPE]], r: pl.Out[pl.Tensor[[5, 2], pl.DTYPE]], c: pl.Out[pl.Tensor[[3, 37], pl.DTYPE]], p: pl.Out[pl.Tensor[[5, 2], pl.INT32]]):
        a = pl.load(x, [0, 0], [5, 37])
        b = pl.load(z, [0, 0], [5, 37])
        y = pl.store(pl.add(pl.mul(a, b), b), [0, 0, 0], y)
        y = pl.store(pl.sub(pl.div(a, b), k), [1, 0, 0], y)
        y = pl.store(pl.rem(a, b), [2, 0, 0], y)
        y = pl.store(pl.maximum(a, pl.minimum(b, k)), [3, 0, 0], y)
        y = pl.store(pl.sel(pl.cmp(a, b, "ge"), pl.neg(a), pl.recip(b)), [4, 0, 0], y)
        y = pl.store(pl.abs(pl.sqrt(pl.relu(a))), [5, 0, 0], y)
        y = pl.store(pl.row_expand_mul(a, pl.row_max(b)), [6, 0, 0], y)
        y = pl.store(pl.col_expand_sub(a, pl.load(z, [1, 0], [1, 37])), [7, 0, 0], y)
        y = pl.store(pl.row_expand(pl.row_min(a), [5, 37]), [8, 0, 0], y)
        r = pl.store(pl.row_max(b), [0, 0], r)
        r = pl.store(pl.row_min(a), [0, 1], r)
        c = pl.store(pl.col_sum(a), [0, 0], c)
        c = pl.store(pl.col_max(b), [1, 0], c)
        c = pl.store(pl.col_min(b), [2, 0], c)
        p = pl.store(pl.row_argmax(a), [0, 0], p)
        p = pl.store(pl.row_argmin(b), [0, 1], p)
        return y, r, c, p

    @pl.function(type=pl.FunctionType.InCore)
    def sums(self, x: pl.Tensor[[5, 137], pl.DTYPE], y: pl.Out[pl.Tensor[[5, 1], pl.DTYPE]]):
        y = pl.store(pl.row_sum(pl.load(x, [0, 0], [5, 137])), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def maths(self, x: pl.Tensor[[5, 37], pl.DTYPE], y: pl.Out[pl.Tensor[[7, 5, 37], pl.DTYPE]]):
        a = pl.load(x, [0, 0], [5, 37])
        y = pl.store(pl.exp(a), [0, 0, 0], y)
        y = pl.store(pl.log(a), [1, 0, 0], y)
        y = pl.store(pl.rsqrt(a), [2, 0, 0], y)
        y = pl.store(pl.sin(a), [3, 0, 0], y)
        y = pl.store(pl.cos(a), [4, 0, 0], y)
        y = pl.store(pl.tanh(a), [5, 0, 0], y)
        y = pl.store(pl.sigmoid(a), [6, 0, 0], y)
        return y
