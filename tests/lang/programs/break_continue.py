"""break and continue in range and while loops, nested and after one another."""
import tilewire.language as pl


@pl.program
class Leaving:
    @pl.function(type=pl.FunctionType.InCore)
    def first_negative(self, x: pl.Tensor[[64], pl.FP32],
                       where: pl.Out[pl.Tensor[[2], pl.INT64]]) -> pl.Tensor[[2], pl.INT64]:
        found = pl.const(-1, pl.INT64)
        for i in pl.range(64):
            if pl.read(x, [i]) < 0.0:
                found = pl.cast(i, pl.INT64)
                break
        where[0] = found
        total = 0.0
        for i in pl.range(0, 64, 2):
            v = pl.read(x, [i])
            if v < 0.0:
                continue
            total = total + v
            if total > 100.0:
                break
        where[1] = pl.cast(total, pl.INT64)
        return where

    @pl.function(type=pl.FunctionType.InCore)
    def search(self, x: pl.Tensor[[8, 8], pl.INT32], key: pl.Scalar[pl.INT32],
               hits: pl.Out[pl.Tensor[[8], pl.INT32]]) -> pl.Tensor[[8], pl.INT32]:
        row = 0
        while True:
            if row == 8:
                break
            count = pl.const(0, pl.INT32)
            for c in pl.range(8):
                v = pl.read(x, [row, c])
                if v != key:
                    continue
                count = count + 1
                if count == 3:
                    break
            hits[row] = count
            row += 1
        return hits
