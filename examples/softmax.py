"""Softmax of every row: a kernel for 32 rows, and an orchestration function that submits one task per 32 rows.

The number of rows is known only at the call. The last task may cover fewer than 32: the tile keeps its shape, and
`valid_shape` says how many of its rows are real. Reductions and stores look at those alone.

    python examples/softmax.py
    tilewire run examples/softmax.py --shape x=100x256:FP32
"""
import argparse

import numpy as np

import tilewire.language as pl

ROWS = pl.dynamic("ROWS")
COLS = 256
TILE = 32


@pl.jit.incore
def softmax_rows(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    first: pl.Scalar[pl.INDEX],
    y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    left = min(pl.dim(x, 0) - first, TILE)
    t = pl.load(x, [first, 0], [TILE, COLS], valid_shape=[left, COLS])
    # `row_max` returns a column [TILE, 1]; `-` and `/` broadcast it over the columns of `t`.
    e = pl.exp(t - pl.row_max(t))
    y = pl.store(e / pl.row_sum(e), [first, 0], y)
    return y


@pl.jit
def softmax(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]):
    for first in pl.parallel(0, pl.dim(x, 0), TILE):
        y = softmax_rows(x, first, y)
    return y


def main(target: str = "cpu", rows: int = 100) -> None:
    x = np.random.default_rng(1).standard_normal((rows, COLS), dtype=np.float32)
    y = softmax(x, target=target)  # the output is left out: the call makes it
    e = np.exp(x - x.max(axis=1, keepdims=True))
    want = e / e.sum(axis=1, keepdims=True)
    error = float(np.max(np.abs(y - want) / want))
    print(f"softmax: {rows} rows of {COLS}, largest relative error {error:.1e}")
    # A few ulp of `exp`, and a sum of 256 terms taken in another order.
    assert error < 1e-5


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="softmax of rows, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
