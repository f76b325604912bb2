"""A call with a window and arrays: each rank doubles its row by way of the window."""
import tilewire.language as pl
import tilewire.language.distributed as pld

RANKS = 2
ELEMENTS = 1
TILE = min(ELEMENTS, 2048)


@pl.jit.incore
def double_row(
    x: pl.Tensor[[1, ELEMENTS], pl.FP32],
    y: pl.Out[pl.Tensor[[1, ELEMENTS], pl.FP32]],
    row: pl.InOut[pld.DistributedTensor[[1, ELEMENTS], pl.FP32]],
):
    for at in pl.range(0, ELEMENTS, TILE):
        row = pl.store(pl.load(x, [0, at], [1, TILE]), [0, at], row)
        y = pl.store(pl.load(row, [0, at], [1, TILE]) * 2.0, [0, at], y)
    return y


@pl.jit.host
def double_rows(x: pl.Tensor[[RANKS, ELEMENTS], pl.FP32], y: pl.Out[pl.Tensor[[RANKS, ELEMENTS], pl.FP32]]):
    row = pld.alloc_window([1, ELEMENTS], dtype=pl.FP32)
    for r in pl.range(RANKS):
        double_row(x[r : r + 1, :], y[r : r + 1, :], row, device=r)
