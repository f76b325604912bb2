"""The K largest elements of every row and their columns, by sorting.

`sort32` sorts runs of 32 elements and takes the column numbers along; each `mrgsort` merges four runs into one. Equal
elements keep their order, so the result is the one that a stable sort gives.

    python examples/topk.py
"""
import argparse

import numpy as np

import tilewire.language as pl

ROWS = pl.dynamic("ROWS")
COLS = 512
K = 10
TILE = 8


@pl.jit.incore
def topk_rows(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    first: pl.Scalar[pl.INDEX],
    best: pl.Out[pl.Tensor[[ROWS, K], pl.FP32]],
    where: pl.Out[pl.Tensor[[ROWS, K], pl.INT32]],
):
    left = min(pl.dim(x, 0) - first, TILE)
    values, columns = pl.sort32(pl.load(x, [first, 0], [TILE, COLS], valid_shape=[left, COLS]))
    values, columns = pl.mrgsort(values, columns, block_len=32)
    values, columns = pl.mrgsort(values, columns, block_len=128)
    best = pl.store(values[:, 0:K], [first, 0], best)
    where = pl.store(columns[:, 0:K], [first, 0], where)
    return best, where


@pl.jit
def topk(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    best: pl.Out[pl.Tensor[[ROWS, K], pl.FP32]],
    where: pl.Out[pl.Tensor[[ROWS, K], pl.INT32]],
):
    for first in pl.parallel(0, pl.dim(x, 0), TILE):
        best, where = topk_rows(x, first, best, where)
    return best, where


def main(target: str = "cpu", rows: int = 30) -> None:
    # Few different values, so that many are equal.
    x = np.random.default_rng(1).integers(0, 100, (rows, COLS)).astype(np.float32)
    best, where = topk(x, target=target)
    want = np.argsort(-x, axis=1, kind="stable")[:, :K]
    assert np.array_equal(where, want) and np.array_equal(best, np.take_along_axis(x, want, axis=1))
    print(f"top-k: {K} of {COLS} in {rows} rows, equal to NumPy")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="the largest elements of rows, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
