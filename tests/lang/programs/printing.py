"""What kernels print: scalars, tiles, ragged tiles; labels with characters that need an escape."""
import tilewire.language as pl

ROWS = pl.dynamic("ROWS")


@pl.jit.incore
def show(x: pl.Tensor[[ROWS, 64], pl.FP32], first: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]):
    left = min(pl.dim(x, 0) - first, 16)
    t = pl.load(x, [first, 0], [16, 64], valid_shape=[left, 64])
    pl.print(t, "input \"t\"")
    pl.print(first)
    total = pl.row_sum(t)
    pl.print(total, label="total")
    if left < 16:
        pl.print(t[0, 0] > 1.0, "large")
    y = pl.store(t / total, [first, 0], y)
    return y


@pl.jit
def main(x: pl.Tensor[[ROWS, 64], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]):
    for first in pl.range(0, pl.dim(x, 0), 16):
        y = show(x, first, y)
    return y
