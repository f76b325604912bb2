"""Ragged tails: loads with a valid extent, padding, and a changed extent."""
import tilewire.language as pl

N = pl.dynamic("N")


@pl.jit.incore
def double_rows(x: pl.Tensor[[N, 64], pl.FP32], y: pl.Out[pl.Tensor[[N, 64], pl.FP32]],
                sums: pl.Out[pl.Tensor[[N, 1], pl.FP32]]):
    n = pl.dim(x, 0)
    for r in pl.range(0, n, 16):
        left = min(n - r, 16)
        t = pl.load(x, [r, 0], [16, 64], valid_shape=[left, 64])
        y = pl.store(t * 2.0, [r, 0], y)
        sums = pl.store(pl.row_sum(t), [r, 0], sums)
    last = pl.load(x, [0, 0], [16, 64], valid_shape=[min(n, 16), 48])
    filled = pl.fillpad(last, pad="zero")
    lowest = pl.fillpad(last, pad=pl.PadValue.Min)
    narrow = pl.set_validshape(filled + lowest, [min(n, 16), 32])
    y = pl.store(narrow, [0, 0], y)
    return y, sums


@pl.jit
def main(x: pl.Tensor[[N, 64], pl.FP32], y: pl.Out[pl.Tensor[[N, 64], pl.FP32]],
         sums: pl.Out[pl.Tensor[[N, 1], pl.FP32]]):
    y, sums = double_rows(x, y, sums)
    return y, sums
