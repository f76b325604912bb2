# run: softmax
# run: softmax strided
# run: divide n=300 range.x=-4..4 range.d=0.5..3 tolerance=0
# run: divide n=256 range.x=-4..4 range.d=0.5..3 tolerance=0
# run: divide n=0 tolerance=0
# run: divide n=17 range.x=0..0 range.d=0.5..3 tolerance=0
# run: divide n=300 range.x=0..0 range.d=0..0 tolerance=0
# run: divide n=299 range.x=-1e-38..1e-38 range.d=1..3e38 tolerance=0
# run: divide_fp16 range.x=-4..4 range.d=0.5..3 tolerance=0
# run: divide_rows range.x=1..2 range.z=-3..3 tolerance=0
# run: ragged n=300 tolerance=0
# run: ragged n=255 strided tolerance=0
# run: ragged n=64 tolerance=0
# run: ragged n=63 tolerance=0
# run: ragged n=1 tolerance=0
# run: ragged n=0 tolerance=0
# run: ragged_sums n=300
# run: ragged_sums n=127
# run: ragged_sums n=65
# run: ragged_sums n=15
# run: ragged_sums n=0
import tilewire.language as pl


@pl.program
class LongRows:
    @pl.function(type=pl.FunctionType.InCore)
    def softmax(self, x: pl.Tensor[[5, 600], pl.FP32], y: pl.Out[pl.Tensor[[5, 600], pl.FP32]]):
        t = pl.load(x, [0, 0], [5, 600])
        e = pl.exp(t - pl.row_max(t))
        y = pl.store(e / pl.row_sum(e), [0, 0], y)
        return y

    # Quotients by a column: constant width, and a width known at run time alone.
    @pl.function(type=pl.FunctionType.InCore)
    def divide(self, x: pl.Tensor[[6, 300], pl.FP32], d: pl.Tensor[[6, 1], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[2, 6, 300], pl.FP32]]):
        by = pl.load(d, [0, 0], [6, 1])
        y = pl.store(pl.load(x, [0, 0], [6, 300]) / by, [0, 0, 0], y)
        y = pl.store(pl.load(x, [0, 0], [6, 300], valid_shape=[6, n]) / by, [1, 0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def divide_fp16(self, x: pl.Tensor[[6, 300], pl.FP16], d: pl.Tensor[[6, 1], pl.FP16], y: pl.Out[pl.Tensor[[6, 300], pl.FP16]]):
        y = pl.store(pl.load(x, [0, 0], [6, 300]) / pl.load(d, [0, 0], [6, 1]), [0, 0], y)
        return y

    # A quotient that a later level computes again, and one of a quotient.
    @pl.function(type=pl.FunctionType.InCore)
    def divide_rows(self, x: pl.Tensor[[4, 257], pl.FP32], z: pl.Tensor[[4, 257], pl.FP32], y: pl.Out[pl.Tensor[[2, 4, 257], pl.FP32]]):
        a = pl.load(x, [0, 0], [4, 257])
        b = pl.load(z, [0, 0], [4, 257])
        q = b / pl.row_max(a)
        y = pl.store(q / pl.row_max(q + b), [0, 0, 0], y)
        y = pl.store(q - pl.row_min(q), [1, 0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def ragged(self, x: pl.Tensor[[3, 300], pl.FP32], z: pl.Tensor[[3, 300], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[3, 300], pl.FP32]], r: pl.Out[pl.Tensor[[3, 2], pl.FP32]], p: pl.Out[pl.Tensor[[3, 2], pl.INT32]]):
        a = pl.load(x, [0, 0], [3, 300], valid_shape=[3, n])
        b = pl.load(z, [0, 0], [3, 300], valid_shape=[3, n])
        y = pl.store(a * b + a, [0, 0], y)
        r = pl.store(pl.row_max(a), [0, 0], r)
        r = pl.store(pl.row_min(b), [0, 1], r)
        p = pl.store(pl.row_argmax(a), [0, 0], p)
        p = pl.store(pl.row_argmin(a), [0, 1], p)
        return y, r, p

    @pl.function(type=pl.FunctionType.InCore)
    def ragged_sums(self, x: pl.Tensor[[3, 300], pl.FP32], n: pl.Scalar[pl.INDEX], r: pl.Out[pl.Tensor[[3, 1], pl.FP32]]):
        a = pl.load(x, [0, 0], [3, 300], valid_shape=[3, n])
        r = pl.store(pl.row_sum(a * a), [0, 0], r)
        return r
