# run: tilewire print --after outline_scopes %s
"""Scopes that become kernels: block indices, kernels called with parts that differ from block to block, captured
values of every kind, dimensions that no captured tensor has."""
import tilewire.language as pl

N = pl.dynamic("N")


@pl.program
class Blocks:
    @pl.function(type=pl.FunctionType.InCore)
    def scale(self, x: pl.Tensor[[16, 64], pl.FP32], k: pl.Scalar[pl.FP32],
              y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        y[...] = pl.load(x) * k
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[4, 16, 64], pl.FP32], v: pl.Tensor[[N], pl.INT32], k: pl.Scalar[pl.FP32],
             y: pl.Out[pl.Tensor[[4, 16, 64], pl.FP32]], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
             n: pl.Out[pl.Tensor[[1], pl.INT32]]) -> pl.Tensor[[4, 16, 64], pl.FP32]:
        for b in pl.spmd(4, name_hint="each"):
            self.scale(x[b], k, y[b])
        with pl.at():
            z = self.scale(x[1], k, z)
        with pl.at(name_hint="for") as tid:
            n[0] = pl.cast(N * 2, pl.INT32)
        for i in pl.range(2):
            with pl.spmd(2, deps=[tid], name_hint="for"):
                part = pl.tile.get_block_idx() * 2 + i
                t = pl.load(y, [part, 0, 0], [1, 16, 64])
                y = pl.store(t + k, [part, 0, 0], y)
        return y
