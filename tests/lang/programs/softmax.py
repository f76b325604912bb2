"""Row softmax over a tensor with a number of rows known only at the call."""
import tilewire.language as pl

ROWS = pl.dynamic("ROWS")
COLS = 256
TILE = 16


@pl.jit.incore
def softmax_rows(x: pl.Tensor[[ROWS, COLS], pl.FP32], first: pl.Scalar[pl.INDEX],
                 y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]):
    t = pl.load(x, [first, 0], [TILE, COLS])
    peak = pl.row_max(t)
    e = pl.exp(t - peak)
    total = pl.row_sum(e)
    y = pl.store(e / total, [first, 0], y)
    return y


@pl.jit
def softmax(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]):
    rows = pl.dim(x, 0)
    for r in pl.parallel(0, rows, TILE):
        y = softmax_rows(x, r, y)
    return y
