# run: exact_fp32 tolerance=0
# run: sums_fp32
# run: maths_fp32 range.x=0.25..4
# run: exact_fp16 tolerance=0
# run: sums_fp16
# run: maths_fp16 range.x=0.25..4
# run: exact_bf16 tolerance=0
# run: sums_bf16
# run: maths_bf16 range.x=0.25..4
# run: exact_fp8e4m3fn tolerance=0
# run: sums_fp8e4m3fn
# run: maths_fp8e4m3fn range.x=0.25..4
# run: exact_fp8e5m2 tolerance=0
# run: sums_fp8e5m2
# run: maths_fp8e5m2 range.x=0.25..4
import tilewire.language as pl


@pl.program
class Types:
    @pl.function(type=pl.FunctionType.InCore)
    def exact_fp32(self, x: pl.Tensor[[5, 37], pl.FP32], z: pl.Tensor[[5, 37], pl.FP32], k: pl.Scalar[pl.FP32], y: pl.Out[pl.Tensor[[9, 5, 37], pl.FP32]], r: pl.Out[pl.Tensor[[5, 2], pl.FP32]], c: pl.Out[pl.Tensor[[3, 37], pl.FP32]], p: pl.Out[pl.Tensor[[5, 2], pl.INT32]]):
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
    def sums_fp32(self, x: pl.Tensor[[5, 137], pl.FP32], y: pl.Out[pl.Tensor[[5, 1], pl.FP32]]):
        y = pl.store(pl.row_sum(pl.load(x, [0, 0], [5, 137])), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def maths_fp32(self, x: pl.Tensor[[5, 37], pl.FP32], y: pl.Out[pl.Tensor[[7, 5, 37], pl.FP32]]):
        a = pl.load(x, [0, 0], [5, 37])
        y = pl.store(pl.exp(a), [0, 0, 0], y)
        y = pl.store(pl.log(a), [1, 0, 0], y)
        y = pl.store(pl.rsqrt(a), [2, 0, 0], y)
        y = pl.store(pl.sin(a), [3, 0, 0], y)
        y = pl.store(pl.cos(a), [4, 0, 0], y)
        y = pl.store(pl.tanh(a), [5, 0, 0], y)
        y = pl.store(pl.sigmoid(a), [6, 0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def exact_fp16(self, x: pl.Tensor[[5, 37], pl.FP16], z: pl.Tensor[[5, 37], pl.FP16], k: pl.Scalar[pl.FP16], y: pl.Out[pl.Tensor[[9, 5, 37], pl.FP16]], r: pl.Out[pl.Tensor[[5, 2], pl.FP16]], c: pl.Out[pl.Tensor[[3, 37], pl.FP16]], p: pl.Out[pl.Tensor[[5, 2], pl.INT32]]):
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
    def sums_fp16(self, x: pl.Tensor[[5, 137], pl.FP16], y: pl.Out[pl.Tensor[[5, 1], pl.FP16]]):
        y = pl.store(pl.row_sum(pl.load(x, [0, 0], [5, 137])), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def maths_fp16(self, x: pl.Tensor[[5, 37], pl.FP16], y: pl.Out[pl.Tensor[[7, 5, 37], pl.FP16]]):
        a = pl.load(x, [0, 0], [5, 37])
        y = pl.store(pl.exp(a), [0, 0, 0], y)
        y = pl.store(pl.log(a), [1, 0, 0], y)
        y = pl.store(pl.rsqrt(a), [2, 0, 0], y)
        y = pl.store(pl.sin(a), [3, 0, 0], y)
        y = pl.store(pl.cos(a), [4, 0, 0], y)
        y = pl.store(pl.tanh(a), [5, 0, 0], y)
        y = pl.store(pl.sigmoid(a), [6, 0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def exact_bf16(self, x: pl.Tensor[[5, 37], pl.BF16], z: pl.Tensor[[5, 37], pl.BF16], k: pl.Scalar[pl.BF16], y: pl.Out[pl.Tensor[[9, 5, 37], pl.BF16]], r: pl.Out[pl.Tensor[[5, 2], pl.BF16]], c: pl.Out[pl.Tensor[[3, 37], pl.BF16]], p: pl.Out[pl.Tensor[[5, 2], pl.INT32]]):
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
    def sums_bf16(self, x: pl.Tensor[[5, 137], pl.BF16], y: pl.Out[pl.Tensor[[5, 1], pl.BF16]]):
        y = pl.store(pl.row_sum(pl.load(x, [0, 0], [5, 137])), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def maths_bf16(self, x: pl.Tensor[[5, 37], pl.BF16], y: pl.Out[pl.Tensor[[7, 5, 37], pl.BF16]]):
        a = pl.load(x, [0, 0], [5, 37])
        y = pl.store(pl.exp(a), [0, 0, 0], y)
        y = pl.store(pl.log(a), [1, 0, 0], y)
        y = pl.store(pl.rsqrt(a), [2, 0, 0], y)
        y = pl.store(pl.sin(a), [3, 0, 0], y)
        y = pl.store(pl.cos(a), [4, 0, 0], y)
        y = pl.store(pl.tanh(a), [5, 0, 0], y)
        y = pl.store(pl.sigmoid(a), [6, 0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def exact_fp8e4m3fn(self, x: pl.Tensor[[5, 37], pl.FP8E4M3FN], z: pl.Tensor[[5, 37], pl.FP8E4M3FN], k: pl.Scalar[pl.FP8E4M3FN], y: pl.Out[pl.Tensor[[9, 5, 37], pl.FP8E4M3FN]], r: pl.Out[pl.Tensor[[5, 2], pl.FP8E4M3FN]], c: pl.Out[pl.Tensor[[3, 37], pl.FP8E4M3FN]], p: pl.Out[pl.Tensor[[5, 2], pl.INT32]]):
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
    def sums_fp8e4m3fn(self, x: pl.Tensor[[5, 137], pl.FP8E4M3FN], y: pl.Out[pl.Tensor[[5, 1], pl.FP8E4M3FN]]):
        y = pl.store(pl.row_sum(pl.load(x, [0, 0], [5, 137])), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def maths_fp8e4m3fn(self, x: pl.Tensor[[5, 37], pl.FP8E4M3FN], y: pl.Out[pl.Tensor[[7, 5, 37], pl.FP8E4M3FN]]):
        a = pl.load(x, [0, 0], [5, 37])
        y = pl.store(pl.exp(a), [0, 0, 0], y)
        y = pl.store(pl.log(a), [1, 0, 0], y)
        y = pl.store(pl.rsqrt(a), [2, 0, 0], y)
        y = pl.store(pl.sin(a), [3, 0, 0], y)
        y = pl.store(pl.cos(a), [4, 0, 0], y)
        y = pl.store(pl.tanh(a), [5, 0, 0], y)
        y = pl.store(pl.sigmoid(a), [6, 0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def exact_fp8e5m2(self, x: pl.Tensor[[5, 37], pl.FP8E5M2], z: pl.Tensor[[5, 37], pl.FP8E5M2], k: pl.Scalar[pl.FP8E5M2], y: pl.Out[pl.Tensor[[9, 5, 37], pl.FP8E5M2]], r: pl.Out[pl.Tensor[[5, 2], pl.FP8E5M2]], c: pl.Out[pl.Tensor[[3, 37], pl.FP8E5M2]], p: pl.Out[pl.Tensor[[5, 2], pl.INT32]]):
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
    def sums_fp8e5m2(self, x: pl.Tensor[[5, 137], pl.FP8E5M2], y: pl.Out[pl.Tensor[[5, 1], pl.FP8E5M2]]):
        y = pl.store(pl.row_sum(pl.load(x, [0, 0], [5, 137])), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def maths_fp8e5m2(self, x: pl.Tensor[[5, 37], pl.FP8E5M2], y: pl.Out[pl.Tensor[[7, 5, 37], pl.FP8E5M2]]):
        a = pl.load(x, [0, 0], [5, 37])
        y = pl.store(pl.exp(a), [0, 0, 0], y)
        y = pl.store(pl.log(a), [1, 0, 0], y)
        y = pl.store(pl.rsqrt(a), [2, 0, 0], y)
        y = pl.store(pl.sin(a), [3, 0, 0], y)
        y = pl.store(pl.cos(a), [4, 0, 0], y)
        y = pl.store(pl.tanh(a), [5, 0, 0], y)
        y = pl.store(pl.sigmoid(a), [6, 0, 0], y)
        return y
