"""The explicit forms, as the printer writes them: carried values, merged branches, conditions with statements."""
import tilewire.language as pl


@pl.program
class Explicit:
    @pl.function(type=pl.FunctionType.InCore)
    def accumulate(self, x: pl.Tensor[[64, 32], pl.FP32],
                   y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]) -> pl.Tensor[[16, 32], pl.FP32]:
        zero = pl.full([16, 32], dtype=pl.FP32, value=0.0)
        for i, (acc, weight) in pl.range(0, 64, 16, init_values=(zero, 1.0)):
            t = pl.load(x, [i, 0], [16, 32])
            scaled = t * weight
            next_acc = acc + scaled
            acc_out, weight_out = pl.yield_(next_acc, weight * 0.5)
        if weight_out < 0.1:
            small = pl.tile.mul(acc_out, 2.0)
            result = pl.yield_(small)
        else:
            result = pl.yield_(acc_out)
        out = pl.store(result, [0, 0], y)
        return out

    @pl.function(type=pl.FunctionType.InCore)
    def halve(self, n: pl.Scalar[pl.INDEX],
              y: pl.Out[pl.Tensor[[2], pl.INT64]]) -> pl.Tensor[[2], pl.INT64]:
        for (k, steps) in pl.while_(init_values=(n, 0)):
            rest = k // 2
            pl.cond(rest > 0)
            k_out, steps_out = pl.yield_(rest, steps + 1)
        y1 = pl.tensor.write(y, [0], pl.cast(k_out, pl.INT64))
        for (y2,) in pl.while_(init_values=(y1,)):
            seen = pl.tensor.read(y2, [1])
            pl.cond(seen < 3)
            y3 = pl.tensor.write(y2, [1], seen + 1)
            y4 = pl.yield_(y3)
        return y4

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[64, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
             n: pl.Scalar[pl.INDEX], z: pl.Out[pl.Tensor[[2], pl.INT64]]) -> pl.Tuple[
                 pl.Tensor[[16, 32], pl.FP32], pl.Tensor[[2], pl.INT64]]:
        for i, (y1, z1) in pl.range(2, init_values=(y, z)):
            ya = self.accumulate(x, y1)
            za = self.halve(n + i, z1)
            y2, z2 = pl.yield_(ya, za)
        return y2, z2
