"""Dynamic dimensions: symbols, expressions of them, a parameter with the name of a symbol."""
import tilewire.language as pl

B = pl.dynamic("B")
S = pl.dynamic("S")
WIDE = pl.dynamic("two words")


@pl.program
class Dynamic:
    @pl.function(type=pl.FunctionType.InCore)
    def copy_rows(self, x: pl.Tensor[[B * S, 64], pl.FP32], B: pl.Scalar[pl.INDEX],
                  y: pl.Out[pl.Tensor[[B * S, 64], pl.FP32]]) -> pl.Tensor[[B * S, 64], pl.FP32]:
        for r in pl.range(0, B, 8):
            y = pl.store(pl.load(x, [r, 0], [8, 64]), [r, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[B * S, 64], pl.FP32], w: pl.Tensor[[WIDE], pl.FP32],
             y: pl.Out[pl.Tensor[[B * S, 64], pl.FP32]]) -> pl.Tensor[[B * S, 64], pl.FP32]:
        rows = B * S
        tail = WIDE + 1
        y = self.copy_rows(x, rows, y)
        y = self.copy_rows(x, pl.dim(w, 0) + tail, y)
        scratch = pl.create_tensor([B * S, 64], dtype=pl.FP32)
        scratch = self.copy_rows(y, S // 2, scratch)
        y = self.copy_rows(scratch, rows - S, y)
        return y
