# Needs a multiple of the tile: of the sizes that are made up, only that one is valid.
# run: tilewire check %s
# verdict: proved
import tilewire.language as pl

ROWS = pl.dynamic("ROWS")


@pl.jit.incore
def scale_rows(x: pl.Tensor[[ROWS, 64], pl.FP32], first: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]):
    t = pl.load(x, [first, 0], [16, 64])  # warned: input
    y = pl.store(t / pl.row_sum(t), [first, 0], y)


@pl.jit
def scale(x: pl.Tensor[[ROWS, 64], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]):
    for first in pl.parallel(0, pl.dim(x, 0), 16):
        scale_rows(x, first, y)
