# run: operands
# run: offsets
# run: array_operand
import tilewire.language as pl


@pl.program
class NestedReads:
    # An element of a tile that the same cluster would compute.
    @pl.function(type=pl.FunctionType.InCore)
    def operands(self, x: pl.Tensor[[8, 40], pl.FP32], y: pl.Out[pl.Tensor[[8, 40], pl.FP32]]):
        a = pl.exp(pl.load(x, [0, 0], [8, 40]))
        b = pl.full([8, 40], dtype=pl.FP32, value=3.0)
        c = pl.maximum(pl.add(a, b), pl.read(a, [2, 3]))
        y = pl.store(pl.mul(c, pl.read(b, [0, 0])), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def offsets(self, x: pl.Tensor[[8, 40], pl.FP32], y: pl.InOut[pl.Tensor[[8, 40], pl.FP32]]):
        where = pl.arange([1, 8], dtype=pl.INT32)
        t = pl.load(x, [pl.read(where, [0, 2]), 0], [4, 40])
        y = pl.store(pl.neg(t), [pl.read(where, [0, 3]), 0], y)
        return y

    # The array is changed after the operand was read from it.
    @pl.function(type=pl.FunctionType.InCore)
    def array_operand(self, x: pl.Tensor[[8, 40], pl.INT32], y: pl.Out[pl.Tensor[[8, 40], pl.INT32]]):
        a = pl.array.create(4, pl.INT32)
        a[1] = 5
        t = pl.add(pl.load(x, [0, 0], [8, 40]), a[1])
        a[1] = 7
        y = pl.store(pl.mul(t, a[1]), [0, 0], y)
        return y
