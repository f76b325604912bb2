# run: tilewire print --after normalize_return_order %s
"""What kernels make for their callers gets a parameter; results come in the order of parameters."""
import tilewire.language as pl

N = pl.dynamic("N")


@pl.program
class Returned:
    @pl.function(type=pl.FunctionType.InCore)
    def both(self, x: pl.Tensor[[N, 16], pl.FP32],
             y: pl.Tensor[[N, 16], pl.FP32]) -> pl.Tuple[pl.Tensor[[N, 16], pl.FP32], pl.Tensor[[N, 1], pl.FP32]]:
        t = pl.tensor.add(x, y)
        return t, pl.tensor.row_sum(t)

    @pl.function(type=pl.FunctionType.InCore)
    def turned(self, x: pl.Tensor[[16, 16], pl.FP32], a: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
               b: pl.Out[pl.Tensor[[16, 16], pl.FP32]]) -> pl.Tuple[pl.Tensor[[16, 16], pl.FP32],
                                                                  pl.Tensor[[16, 16], pl.FP32]]:
        t = pl.load(x)
        b[...] = t * 2.0
        a[...] = t + 1.0
        return b, a

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
             s: pl.Out[pl.Tensor[[16, 1], pl.FP32]]) -> pl.Tensor[[16, 16], pl.FP32]:
        total, rows = self.both(x, x)
        a = pl.create_tensor([16, 16], dtype=pl.FP32)
        b = pl.full([16, 16], dtype=pl.FP32, value=3.0)
        b, a = self.turned(total, a, b)
        with pl.at(name_hint="sum up"):
            total = total + b
        with pl.at(name_hint="put"):
            y[...] = pl.tensor.sub(total, a)
            s[...] = pl.load(rows)
        return y
