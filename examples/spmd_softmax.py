"""Softmax as one SPMD launch whose number of blocks is an argument.

Every block runs the same kernel and asks for its number. Block b of n takes the tiles b, b + n, b + 2n, ..., so any
number of blocks gives the same result; the blocks that find no tile do nothing.

    python examples/spmd_softmax.py
"""
import argparse

import numpy as np

import tilewire.language as pl

ROWS = pl.dynamic("ROWS")
COLS = 128
TILE = 16


@pl.jit.incore
def softmax_share(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]):
    block = pl.tile.get_block_idx()
    blocks = pl.tile.get_block_num()
    rows = pl.dim(x, 0)
    tiles = (rows + TILE - 1) // TILE
    # The step of a loop is a constant, so the loop counts the tiles of this block.
    for i in pl.range((tiles - block + blocks - 1) // blocks):
        first = (block + i * blocks) * TILE
        t = pl.load(x, [first, 0], [TILE, COLS], valid_shape=[min(rows - first, TILE), COLS])
        e = pl.exp(t - pl.row_max(t))
        y = pl.store(e / pl.row_sum(e), [first, 0], y)
    return y


@pl.jit
def spmd_softmax(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    blocks: pl.Scalar[pl.INT32],
    y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    with pl.spmd(blocks, name_hint="softmax"):
        y = softmax_share(x, y)
    return y


def main(target: str = "cpu", rows: int = 100) -> None:
    x = np.random.default_rng(1).standard_normal((rows, COLS), dtype=np.float32)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    want = e / e.sum(axis=1, keepdims=True)
    results = [spmd_softmax(x, blocks, target=target) for blocks in (1, 3, 7, 20)]
    assert all(np.array_equal(y, results[0]) for y in results)
    error = float(np.max(np.abs(results[0] - want) / want))
    print(f"SPMD softmax: {rows} rows, the same on 1, 3, 7 and 20 blocks, largest relative error {error:.1e}")
    assert error < 1e-5


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="softmax in SPMD blocks, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
