"""Sums along the rows of a mesh of ranks, then along its columns.

Ranks are numbered row by row: rank `i * columns + j` is at row i, column j. `pld.mesh_axis` divides the group of a
window along one axis; a collective with `group=` then takes place in every row, or every column, at the same time. One
window and one signal serve both.

    python examples/mesh2d.py --ranks 6
    tilewire run examples/mesh2d.py --ranks 6 --shape values=6x1x256:FP32 --in columns=3
    tilewire check examples/mesh2d.py --ranks 12 --in columns=4
"""
import argparse
from typing import Any

import numpy as np

import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
WIDTH = 256


@pl.jit.incore
def sum_up(
    x: pl.Tensor[[1, WIDTH], pl.FP32],
    rows: pl.Scalar[pl.INDEX],
    columns: pl.Scalar[pl.INDEX],
    y: pl.Out[pl.Tensor[[2, WIDTH], pl.FP32]],
    sums: pl.InOut[pld.DistributedTensor[[1, WIDTH], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    mesh = pld.get_comm_ctx(sums)
    my_row = pld.mesh_axis(mesh, [rows, columns], 1)
    my_column = pld.mesh_axis(mesh, [rows, columns], 0)
    sums = pl.store(pl.load(x), [0, 0], sums)
    sums = pld.tensor.allreduce(sums, signal, group=my_row)
    y = pl.store(pl.load(sums), [0, 0], y)
    sums = pld.tensor.allreduce(sums, signal, group=my_column)
    y = pl.store(pl.load(sums), [1, 0], y)
    return y


@pl.jit.host
def mesh_sums(
    values: pl.Tensor[[NR, 1, WIDTH], pl.FP32],
    columns: pl.Scalar[pl.INDEX],
    y: pl.Out[pl.Tensor[[NR, 2, WIDTH], pl.FP32]],
):
    rows = pld.world_size() // columns
    sums = pld.alloc_window([1, WIDTH], dtype=pl.FP32)
    signal = pld.alloc_signal(pld.world_size())
    for i in pl.range(rows):
        for j in pl.range(columns):
            r = i * columns + j
            sum_up(values[r], rows, columns, y[r], sums, signal, device=r)


def in_rank_order(rows: np.ndarray) -> np.ndarray:
    total: np.ndarray = rows[0].copy()
    for row in rows[1:]:
        total += row
    return total


def main(ranks: int = 6, columns: int | None = None, **how: Any) -> None:
    # As square as it gets.
    columns = columns or max(n for n in range(1, ranks + 1) if ranks % n == 0 and n * n <= ranks)
    rows = ranks // columns
    x = np.random.default_rng(1).standard_normal((ranks, 1, WIDTH), dtype=np.float32)
    y = np.zeros((ranks, 2, WIDTH), np.float32)
    mesh_sums(x, columns, y, ranks=ranks, **how)
    mesh = x.reshape(rows, columns, WIDTH)
    along_rows = [in_rank_order(mesh[i]) for i in range(rows)]
    total = in_rank_order(np.stack(along_rows))
    for r in range(ranks):
        assert np.array_equal(y[r, 0], along_rows[r // columns])
        assert np.array_equal(y[r, 1], total)
    print(f"mesh: {rows} x {columns} ranks have the sums of their rows, then of all, to the last bit")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="sums along both axes of a mesh of ranks, compared with NumPy")
    parser.add_argument("--ranks", type=int, default=6)
    parser.add_argument("--columns", type=int, help="a divisor of the number of ranks")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(**vars(parser.parse_args()))
