"""A task graph ordered by hand: the integral image of a matrix, computed in a wave from the first tile to the last.

Element (i, j) of the result is the sum of all elements above and to the left. A tile of it needs the last row of the
tile above and the last column of the tile to the left, so the tasks form a grid of diamonds. Tracking by data would
see every task write `y` and run them one after the other. Here each task leaves `y` out of that with `pl.no_dep` and
names the two it waits for: `done[j]` is the task above until this row's task takes its place.

    python examples/wavefront.py
"""
import argparse

import numpy as np

import tilewire.language as pl

TILE = 32
DOWN = 4
ACROSS = 5
ROWS = DOWN * TILE
COLS = ACROSS * TILE


@pl.program
class Wavefront:
    @pl.function(type=pl.FunctionType.Inline)
    def running_sums(self, t):
        """Sums over rows and columns inside a tile, as two products with triangles of ones."""
        row = pl.arange([TILE, TILE], axis=0, dtype=pl.INT32)
        column = pl.arange([TILE, TILE], axis=1, dtype=pl.INT32)
        lower = pl.cast(column <= row, pl.FP32)
        return pl.matmul(pl.matmul(lower, t), lower, b_trans=True)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self, x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        done = pl.array.create(ACROSS, pl.TASK_ID)  # all complete to begin with
        for i in pl.range(DOWN):
            left = pl.no_task()
            for j in pl.range(ACROSS):
                r = i * TILE
                c = j * TILE
                with pl.at(level=pl.Level.CORE_GROUP, name_hint="tile", deps=[done[j], left]) as task:
                    t = self.running_sums(pl.load(x, [r, c], [TILE, TILE]))
                    # The task to the left waited for the one above it: the corner is there too.
                    if i > 0:
                        t = t + pl.load(pl.no_dep(y), [r - 1, c], [1, TILE])
                    if j > 0:
                        t = t + pl.load(pl.no_dep(y), [r, c - 1], [TILE, 1])
                    if i > 0 and j > 0:
                        t = t - pl.read(pl.no_dep(y), [r - 1, c - 1])
                    y = pl.store(t, [r, c], pl.no_dep(y))
                done[j] = task
                left = task
        return y


def main(target: str = "cpu") -> None:
    # Small whole numbers: every sum is exact in FP32.
    x = np.random.default_rng(1).integers(-8, 9, (ROWS, COLS)).astype(np.float32)
    y = np.zeros_like(x)
    Wavefront.main(x, y, target=target)
    assert np.array_equal(y, x.cumsum(axis=0).cumsum(axis=1))
    print(f"wavefront: {DOWN}x{ACROSS} tasks, equal to NumPy")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a task graph ordered by hand, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
