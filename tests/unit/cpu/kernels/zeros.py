# run: signs_fp32 tolerance=0
# run: signs_fp16 tolerance=0
# run: one_wide tolerance=0
import tilewire.language as pl


# Zeros of both signs; 1 / x makes the sign count.
@pl.program
class Zeros:
    @pl.function(type=pl.FunctionType.InCore)
    def signs_fp32(self, x: pl.Tensor[[7, 37], pl.FP32], r: pl.Out[pl.Tensor[[7, 4], pl.FP32]], c: pl.Out[pl.Tensor[[4, 37], pl.FP32]]):
        a = pl.load(x, [0, 0], [7, 37]) * 0.0
        low = pl.minimum(a, pl.load(x, [0, 0], [7, 37]))
        r = pl.store(pl.recip(pl.row_max(a)), [0, 0], r)
        r = pl.store(pl.recip(pl.row_min(a)), [0, 1], r)
        r = pl.store(pl.recip(pl.row_max(low)), [0, 2], r)
        r = pl.store(pl.recip(pl.row_sum(a)), [0, 3], r)
        c = pl.store(pl.recip(pl.col_max(a)), [0, 0], c)
        c = pl.store(pl.recip(pl.col_min(a)), [1, 0], c)
        c = pl.store(pl.recip(pl.col_max(low)), [2, 0], c)
        c = pl.store(pl.recip(pl.col_sum(a)), [3, 0], c)

    @pl.function(type=pl.FunctionType.InCore)
    def signs_fp16(self, x: pl.Tensor[[7, 37], pl.FP16], r: pl.Out[pl.Tensor[[7, 2], pl.FP16]], c: pl.Out[pl.Tensor[[2, 37], pl.FP16]]):
        a = pl.load(x, [0, 0], [7, 37]) * 0.0
        r = pl.store(pl.recip(pl.row_max(a)), [0, 0], r)
        r = pl.store(pl.recip(pl.row_min(a)), [0, 1], r)
        c = pl.store(pl.recip(pl.col_max(a)), [0, 0], c)
        c = pl.store(pl.recip(pl.col_min(a)), [1, 0], c)

    @pl.function(type=pl.FunctionType.InCore)
    def one_wide(self, x: pl.Tensor[[7, 1], pl.FP32], z: pl.Tensor[[1, 37], pl.FP32], r: pl.Out[pl.Tensor[[7, 1], pl.FP32]], c: pl.Out[pl.Tensor[[1, 37], pl.FP32]]):
        r = pl.store(pl.recip(pl.row_max(pl.load(x, [0, 0], [7, 1]) * 0.0)), [0, 0], r)
        c = pl.store(pl.recip(pl.col_min(pl.load(z, [0, 0], [1, 37]) * 0.0)), [0, 0], c)
