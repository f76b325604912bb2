"""RMS normalisation as one SPMD launch: eight blocks share the rows of a tensor.

Every block runs the same kernel. Block b of n takes the tiles b, b + n, b + 2n, ... of 16 rows each.

    python examples/spmd_rows.py
"""
import argparse

import numpy as np

import tilewire.language as pl

ROWS = pl.dynamic("ROWS")
HIDDEN = 512
TILE = 16
BLOCKS = 8
EPSILON = 1e-6


@pl.program
class SpmdRows:
    @pl.function(type=pl.FunctionType.Inline)
    def scale_of(self, t: pl.Tile[[TILE, HIDDEN], pl.FP32]):
        """A column: one over the root of the mean square of each row."""
        return pl.rsqrt(pl.row_sum(t * t) * (1.0 / HIDDEN) + EPSILON)

    @pl.function(type=pl.FunctionType.InCore)
    def rms_norm(
        self,
        x: pl.Tensor[[ROWS, HIDDEN], pl.FP32],
        weight: pl.Tensor[[1, HIDDEN], pl.FP32],
        y: pl.Out[pl.Tensor[[ROWS, HIDDEN], pl.FP32]],
    ) -> pl.Tensor[[ROWS, HIDDEN], pl.FP32]:
        block = pl.tile.get_block_idx()
        blocks = pl.tile.get_block_num()
        rows = pl.dim(x, 0)
        tiles = (rows + TILE - 1) // TILE
        w = pl.load(weight)
        # A step of a loop is a constant, so the loop counts the tiles of this block.
        for k in pl.range((tiles - block + blocks - 1) // blocks):
            first = (block + k * blocks) * TILE
            t = pl.load(x, [first, 0], [TILE, HIDDEN], valid_shape=[min(rows - first, TILE), HIDDEN])
            y = pl.store(t * self.scale_of(t) * w, [first, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[ROWS, HIDDEN], pl.FP32],
        weight: pl.Tensor[[1, HIDDEN], pl.FP32],
        y: pl.Out[pl.Tensor[[ROWS, HIDDEN], pl.FP32]],
    ) -> pl.Tensor[[ROWS, HIDDEN], pl.FP32]:
        with pl.spmd(BLOCKS, name_hint="rms_norm"):
            y = self.rms_norm(x, weight, y)
        return y


def main(target: str = "cpu", rows: int = 200) -> None:
    random = np.random.default_rng(1)
    x = random.standard_normal((rows, HIDDEN), dtype=np.float32)
    weight = random.standard_normal((1, HIDDEN), dtype=np.float32)
    y = SpmdRows.main(x, weight, target=target)
    want = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + np.float32(EPSILON)) * weight
    error = float(np.max(np.abs(y - want)))
    print(f"SPMD rows: {rows} rows of {HIDDEN} on {BLOCKS} blocks, largest error {error:.1e}")
    assert error < 2e-5  # results are below 15; the sums are taken in another order


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="RMS normalisation in SPMD blocks, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
