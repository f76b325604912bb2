"""Tensors and tiles made in place: full, arange, create; uninitialised and typed."""
import tilewire.language as pl


@pl.program
class Fill:
    @pl.function(type=pl.FunctionType.InCore)
    def tiles(self, y: pl.Out[pl.Tensor[[16, 32], pl.INT32]],
              z: pl.Out[pl.Tensor[[16, 32], pl.BF16]]) -> pl.Tuple[pl.Tensor[[16, 32], pl.INT32],
                                                                  pl.Tensor[[16, 32], pl.BF16]]:
        ones = pl.full([16, 32], dtype=pl.INT32, value=1)
        count = pl.tile.arange([16, 32], axis=1, start=5, dtype=pl.INT32)
        rows = pl.ci([16, 32], axis=0, dtype=pl.INT32)
        y = pl.store(ones + count + rows, [0, 0], y)
        blank = pl.create_tile([16, 32], dtype=pl.BF16)
        z = pl.store(pl.maximum(blank, 0.5), [0, 0], z)
        return y, z

    @pl.function(type=pl.FunctionType.Opaque)
    def tensors(self, y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]) -> pl.Tensor[[16, 32], pl.FP32]:
        scratch = pl.create_tensor([16, 32], dtype=pl.FP32)
        with pl.at(level=pl.Level.CORE_GROUP):
            a = pl.tensor.full([16, 32], dtype=pl.FP32, value=2.5)
            b = pl.tensor.arange([16, 32], axis=0, dtype=pl.FP32)
            scratch = pl.tensor.assemble(scratch, a * b, [0, 0])
        with pl.at(level=pl.Level.CORE_GROUP):
            y[...] = pl.load(scratch)
        return y
