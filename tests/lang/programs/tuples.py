"""Several results, unpacked, kept as a tuple, swapped, and passed on."""
import tilewire.language as pl

S = pl.Scalar[pl.INDEX]


@pl.program
class Tuples:
    @pl.function(type=pl.FunctionType.Inline)
    def divmod(self, a, b):
        return a // b, a % b

    @pl.function(type=pl.FunctionType.InCore)
    def minmax(self, x: pl.Tensor[[16, 64], pl.FP32], lo: pl.Out[pl.Tensor[[16, 1], pl.FP32]],
               hi: pl.Out[pl.Tensor[[16, 1], pl.FP32]]) -> pl.Tuple[pl.Tensor[[16, 1], pl.FP32],
                                                                   pl.Tensor[[16, 1], pl.FP32]]:
        t = pl.load(x)
        a, b = pl.row_min(t), pl.row_max(t)
        a, b = b, a
        lo = pl.store(b, [0, 0], lo)
        hi = pl.store(a, [0, 0], hi)
        return lo, hi

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[4, 16, 64], pl.FP32], n: pl.Scalar[pl.INDEX],
             lo: pl.Out[pl.Tensor[[16, 1], pl.FP32]],
             hi: pl.Out[pl.Tensor[[16, 1], pl.FP32]]) -> pl.Tuple[pl.Tensor[[16, 1], pl.FP32],
                                                                 pl.Tensor[[16, 1], pl.FP32]]:
        quotient, rest = self.divmod(n, 4)
        (lo, hi) = self.minmax(x[rest], lo, hi)
        pair = self.minmax(x[quotient % 4], lo, hi)
        lo = pair[0]
        hi = pair[1]
        return lo, hi
