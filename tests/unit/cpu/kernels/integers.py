# run: i dtype=INT8 tolerance=0
# run: i dtype=INT16 tolerance=0
# run: i dtype=INT32 tolerance=0
# run: i dtype=INT64 tolerance=0
# run: i dtype=UINT8 tolerance=0
# run: i dtype=UINT16 tolerance=0
# run: i dtype=UINT32 tolerance=0
# run: i dtype=UINT64 tolerance=0
# run: i dtype=INT4 tolerance=0
import tilewire.language as pl


@pl.program
class Types:
    @pl.function(type=pl.FunctionType.InCore)
    def i(self, x: pl.Tensor[[5, 37], pl.DTYPE], z: pl.Tensor[[5, 37], pl.DTYPE], y: pl.Out[pl.Tensor[[12, 5, 37], pl.DTYPE]], r: pl.Out[pl.Tensor[[5, 3], pl.DTYPE]], c: pl.Out[pl.Tensor[[3, 37], pl.DTYPE]], p: pl.Out[pl.Tensor[[5, 2], pl.INT32]]):
        a = pl.load(x, [0, 0], [5, 37])
        b = pl.load(z, [0, 0], [5, 37])
        y = pl.store(pl.add(pl.mul(a, a), b), [0, 0, 0], y)
        y = pl.store(pl.sub(a, b), [1, 0, 0], y)
        y = pl.store(pl.div(a, b), [2, 0, 0], y)
        y = pl.store(pl.rem(a, b), [3, 0, 0], y)
        y = pl.store(pl.maximum(a, b), [4, 0, 0], y)
        y = pl.store(pl.minimum(a, b), [5, 0, 0], y)
        y = pl.store(pl.xor(pl.and_(a, b), pl.or_(a, 3)), [6, 0, 0], y)
        y = pl.store(pl.shl(a, b), [7, 0, 0], y)
        y = pl.store(pl.shr(a, b), [8, 0, 0], y)
        y = pl.store(pl.sel(pl.cmp(a, b, "lt"), pl.neg(a), pl.not_(b)), [9, 0, 0], y)
        y = pl.store(pl.abs(a), [10, 0, 0], y)
        y = pl.store(pl.relu(b), [11, 0, 0], y)
        r = pl.store(pl.row_sum(a), [0, 0], r)
        r = pl.store(pl.row_max(b), [0, 1], r)
        r = pl.store(pl.row_min(a), [0, 2], r)
        c = pl.store(pl.col_sum(a), [0, 0], c)
        c = pl.store(pl.col_max(b), [1, 0], c)
        c = pl.store(pl.col_min(b), [2, 0], c)
        p = pl.store(pl.row_argmax(a), [0, 0], p)
        p = pl.store(pl.row_argmin(b), [0, 1], p)
        return y, r, c, p
