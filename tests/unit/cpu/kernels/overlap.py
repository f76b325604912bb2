# run: shift same
# run: shift
# run: two_stores same
# run: two_stores
# run: spread same
# run: softmax_in_place same
# run: softmax_in_place same strided
# run: shift same strided
# run: late_use same
# run: late_use
# run: old_value
# run: old_value same
import tilewire.language as pl


@pl.program
class Overlap:
    # With x and y one array, row r + 1 is written from row r: no row may be read after it was written.
    @pl.function(type=pl.FunctionType.InCore)
    def shift(self, x: pl.Tensor[[33, 40], pl.FP32], y: pl.Out[pl.Tensor[[33, 40], pl.FP32]]):
        t = pl.load(x, [0, 0], [32, 40])
        y = pl.store(pl.mul(t, 2.0), [1, 0], y)
        return y

    # The second store covers part of the first.
    @pl.function(type=pl.FunctionType.InCore)
    def two_stores(self, x: pl.Tensor[[33, 40], pl.FP32], y: pl.InOut[pl.Tensor[[33, 40], pl.FP32]],
                   z: pl.Out[pl.Tensor[[33, 40], pl.FP32]]):
        t = pl.load(x, [0, 0], [16, 40])
        y = pl.store(pl.add(t, 1.0), [1, 0], y)
        z = pl.store(pl.mul(t, 3.0), [0, 0], z)
        return y, z

    # One row is read for every row that is written over it.
    @pl.function(type=pl.FunctionType.InCore)
    def spread(self, x: pl.Tensor[[16, 40], pl.FP32], y: pl.Out[pl.Tensor[[16, 40], pl.FP32]]):
        t = pl.load(x, [0, 0], [16, 40])
        r = pl.load(x, [0, 0], [1, 40])
        y = pl.store(pl.col_expand_add(t, r), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def softmax_in_place(self, x: pl.Tensor[[16, 48], pl.FP32], y: pl.Out[pl.Tensor[[16, 48], pl.FP32]]):
        t = pl.load(x, [0, 0], [16, 48])
        e = pl.exp(pl.row_expand_sub(t, pl.row_max(t)))
        y = pl.store(pl.row_expand_div(e, pl.row_sum(e)), [0, 0], y)
        return y

    # A load that is used after its tensor may have been written keeps what it read.
    @pl.function(type=pl.FunctionType.InCore)
    def late_use(self, x: pl.Tensor[[16, 48], pl.FP32], y: pl.InOut[pl.Tensor[[16, 48], pl.FP32]]):
        t = pl.load(x, [0, 0], [16, 48])
        y = pl.store(pl.full([16, 48], dtype=pl.FP32, value=5.0), [0, 0], y)
        u = pl.load(y, [0, 0], [16, 48])
        y = pl.store(pl.add(t, u), [0, 0], y)
        return y

    # What was in y is stored after something else took its place.
    @pl.function(type=pl.FunctionType.InCore)
    def old_value(self, x: pl.Tensor[[16, 40], pl.FP32], y: pl.InOut[pl.Tensor[[16, 40], pl.FP32]],
                  z: pl.Out[pl.Tensor[[16, 40], pl.FP32]]):
        new = pl.load(x, [0, 0], [16, 40])
        old = pl.load(y, [0, 0], [16, 40])
        y = pl.store(new, [0, 0], y)
        z = pl.store(old, [0, 0], z)
        return y, z
