# run: tilewire print --after outline_scopes %s
"""Kernels called with `blocks=`: each call becomes a scope."""
import tilewire.language as pl


@pl.program
class Calls:
    @pl.function(type=pl.FunctionType.InCore)
    def both(self, x: pl.Tensor[[8, 64], pl.FP32], a: pl.Out[pl.Tensor[[8, 64], pl.FP32]],
             b: pl.Out[pl.Tensor[[8, 64], pl.FP32]]) -> pl.Tuple[pl.Tensor[[8, 64], pl.FP32],
                                                               pl.Tensor[[8, 64], pl.FP32]]:
        r = pl.tile.get_block_idx()
        t = pl.load(x, [r, 0], [1, 64])
        a = pl.store(t * 2.0, [r, 0], a)
        b = pl.store(t + 1.0, [r, 0], b)
        return a, b

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[8, 64], pl.FP32], n: pl.Scalar[pl.INT32], a: pl.Out[pl.Tensor[[8, 64], pl.FP32]],
             b: pl.Out[pl.Tensor[[8, 64], pl.FP32]]) -> pl.Tensor[[8, 64], pl.FP32]:
        with pl.at() as tid:
            a[...] = pl.load(x)
        a, b = self.both(x, a, b, blocks=n, deps=[tid])
        self.both(a, a, b, blocks=8)
        return b
