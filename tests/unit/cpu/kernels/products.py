# run: over_k n=1
# run: over_k_scaled n=3
# run: over_k_transposed row=8 col=40
# run: no_rounds n=0
# run: bf16
# run: int8 tolerance=0
# run: ragged n=17 k=9
# run: shapes
# run: shapes strided
# run: over_k n=1 strided
# run: ragged n=17 k=9 strided
# run: narrow
# fails: over_k_scaled 1 34 n=5
# fails: mismatch 6 82 n=5
import tilewire.language as pl


@pl.program
class Products:
    @pl.function(type=pl.FunctionType.InCore)
    def over_k(self, a: pl.Tensor[[48, 96], pl.FP32], b: pl.Tensor[[96, 80], pl.FP32], n: pl.Scalar[pl.INT32],
               c: pl.Out[pl.Tensor[[48, 80], pl.FP32]]):
        acc = pl.matmul(pl.load(a, [0, 0], [48, 32]), pl.load(b, [0, 0], [32, 80]))
        for k in pl.pipeline(32, 96, 32, stage=2):
            acc = pl.matmul_acc(acc, pl.load(a, [0, k], [48, 32]), pl.load(b, [k, 0], [32, 80]))
        c = pl.store(acc, [0, 0], c)
        return c

    @pl.function(type=pl.FunctionType.InCore)
    def over_k_scaled(self, a: pl.Tensor[[48, 96], pl.FP32], b: pl.Tensor[[96, 80], pl.FP32], n: pl.Scalar[pl.INT32],
                      c: pl.Out[pl.Tensor[[48, 80], pl.FP32]]):
        acc = pl.full([48, 80], dtype=pl.FP32, value=0.5)
        for k in pl.range(n):
            acc = pl.matmul_acc(acc, pl.load(a, [0, k * 32], [48, 32]), pl.load(b, [32 * k, 0], [32, 80]))
        c = pl.store(acc, [0, 0], c)
        return c

    @pl.function(type=pl.FunctionType.InCore)
    def over_k_transposed(self, a: pl.Tensor[[96, 64], pl.FP32], b: pl.Tensor[[80, 96], pl.FP32], row: pl.Scalar[pl.INDEX],
                          col: pl.Scalar[pl.INDEX], c: pl.Out[pl.Tensor[[64, 80], pl.FP32]]):
        acc = pl.full([32, 16], dtype=pl.FP32, value=0.0)
        for k in pl.range(0, 96, 16):
            acc = pl.matmul_acc(acc, pl.load(a, [k, row], [16, 32]), pl.load(b, [col, k], [16, 16]), a_trans=True, b_trans=True)
        c = pl.store(acc, [row, col], c)
        return c

    @pl.function(type=pl.FunctionType.InCore)
    def no_rounds(self, a: pl.Tensor[[48, 32], pl.FP32], b: pl.Tensor[[32, 80], pl.FP32], n: pl.Scalar[pl.INT32],
                  c: pl.Out[pl.Tensor[[48, 80], pl.FP32]]):
        acc = pl.full([48, 80], dtype=pl.FP32, value=0.5)
        for k in pl.range(64, n, 32):
            acc = pl.matmul_acc(acc, pl.load(a, [0, k], [48, 32]), pl.load(b, [k, 0], [32, 80]))
        c = pl.store(acc, [0, 0], c)
        return c

    @pl.function(type=pl.FunctionType.InCore)
    def bf16(self, a: pl.Tensor[[48, 96], pl.BF16], b: pl.Tensor[[96, 80], pl.BF16], c: pl.Out[pl.Tensor[[48, 80], pl.FP32]]):
        acc = pl.full([48, 80], dtype=pl.FP32, value=0.0)
        for k in pl.range(0, 96, 32):
            acc = pl.matmul_acc(acc, pl.load(a, [0, k], [48, 32]), pl.load(b, [k, 0], [32, 80]))
        c = pl.store(acc, [0, 0], c)
        return c

    @pl.function(type=pl.FunctionType.InCore)
    def int8(self, a: pl.Tensor[[48, 96], pl.INT8], b: pl.Tensor[[96, 80], pl.INT8], c: pl.Out[pl.Tensor[[48, 80], pl.INT32]]):
        c = pl.store(pl.matmul(pl.load(a, [0, 0], [48, 96]), pl.load(b, [0, 0], [96, 80])), [0, 0], c)
        return c

    @pl.function(type=pl.FunctionType.InCore)
    def ragged(self, a: pl.Tensor[[32, 64], pl.FP32], b: pl.Tensor[[64, 48], pl.FP32], n: pl.Scalar[pl.INT32],
               k: pl.Scalar[pl.INT32], c: pl.InOut[pl.Tensor[[32, 48], pl.FP32]]):
        x = pl.load(a, [0, 0], [32, 64], valid_shape=[n, k])
        y = pl.load(b, [0, 0], [64, 48], valid_shape=[k, 41])
        c = pl.store(pl.exp(pl.mul(pl.matmul(x, y), 0.1)), [0, 0], c)
        return c

    @pl.function(type=pl.FunctionType.InCore)
    def mismatch(self, a: pl.Tensor[[32, 64], pl.FP32], b: pl.Tensor[[64, 48], pl.FP32], n: pl.Scalar[pl.INT32],
                 c: pl.InOut[pl.Tensor[[32, 48], pl.FP32]]):
        x = pl.load(a, [0, 0], [32, 64], valid_shape=[32, n])
        y = pl.load(b, [0, 0], [64, 48])
        c = pl.store(pl.matmul(x, y), [0, 0], c)
        return c

    # Results that are used twice, biased, of transposed and of computed tiles.
    @pl.function(type=pl.FunctionType.InCore)
    def shapes(self, a: pl.Tensor[[24, 40], pl.FP32], b: pl.Tensor[[40, 24], pl.FP32], v: pl.Tensor[[1, 24], pl.FP32],
               c: pl.Out[pl.Tensor[[24, 24], pl.FP32]], d: pl.Out[pl.Tensor[[24, 24], pl.FP32]]):
        x = pl.load(a, [0, 0], [24, 40])
        y = pl.load(b, [0, 0], [40, 24])
        p = pl.matmul_bias(pl.exp(x), pl.transpose(pl.transpose(y)), pl.load(v, [0, 0], [1, 24]))
        q = pl.matmul_acc(p, x, x, b_trans=True)
        c = pl.store(pl.add(p, q), [0, 0], c)
        d = pl.store(pl.sub(p, pl.matmul(x, y)), [0, 0], d)
        return c, d

    @pl.function(type=pl.FunctionType.InCore)
    def narrow(self, a: pl.Tensor[[24, 40], pl.FP16], b: pl.Tensor[[40, 21], pl.FP16], c: pl.Out[pl.Tensor[[24, 21], pl.FP16]]):
        c = pl.store(pl.matmul(pl.load(a, [0, 0], [24, 40]), pl.load(b, [0, 0], [40, 21]), out_dtype=pl.FP16), [0, 0], c)
        return c
