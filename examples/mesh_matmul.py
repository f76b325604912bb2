"""A linear layer over a mesh of ranks: the weight is cut into blocks, one per rank.

Rank (i, j) has block (i, j) of the weight, and columns i of the input. It multiplies the two; the products of a column
of ranks add up to a block of the result, and a row of ranks puts the blocks side by side.

                 column 0     column 1
    row 0        x0 @ w00     x0 @ w01        allreduce down each column: x @ w[:, j]
    row 1        x1 @ w10     x1 @ w11        allgather along each row:   all of x @ w

    python examples/mesh_matmul.py --ranks 4
    tilewire check examples/mesh_matmul.py --ranks 4 --shape y=4x2x16x64:FP32
"""
import argparse
from typing import Any

import numpy as np

import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
COLUMNS = pl.dynamic("COLUMNS")
BATCH = 16
DEPTH = 32  # of a block
OUT = 64  # of a block


@pl.jit.incore
def multiply(
    x: pl.Tensor[[BATCH, DEPTH], pl.FP32],
    w: pl.Tensor[[DEPTH, OUT], pl.FP32],
    y: pl.Out[pl.Tensor[[COLUMNS, BATCH, OUT], pl.FP32]],
    partial: pl.InOut[pld.DistributedTensor[[BATCH, OUT], pl.FP32]],
    blocks: pl.InOut[pld.DistributedTensor[[COLUMNS * BATCH, OUT], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    columns: pl.Scalar[pl.INDEX],
):
    mesh = pld.get_comm_ctx(partial)
    rows = pld.nranks(mesh) // columns
    partial = pl.store(pl.matmul(pl.load(x), pl.load(w)), [0, 0], partial)
    partial = pld.tensor.allreduce(partial, signal, group=pld.mesh_axis(mesh, [rows, columns], 0))
    blocks = pld.tensor.allgather(partial, blocks, signal, group=pld.mesh_axis(mesh, [rows, columns], 1))
    for j in pl.range(columns):
        y = pl.store(pl.load(blocks, [j * BATCH, 0], [BATCH, OUT]), [j, 0, 0], y)
    return y


@pl.jit.host
def linear(
    x: pl.Tensor[[NR, BATCH, DEPTH], pl.FP32],
    w: pl.Tensor[[NR, DEPTH, OUT], pl.FP32],
    y: pl.Out[pl.Tensor[[NR, COLUMNS, BATCH, OUT], pl.FP32]],
):
    n = pld.world_size()
    columns = pl.dim(y, 1)
    partial = pld.alloc_window([BATCH, OUT], dtype=pl.FP32)
    blocks = pld.alloc_window([columns * BATCH, OUT], dtype=pl.FP32)
    signal = pld.alloc_signal(n)
    for r in pl.range(n):
        multiply(x[r], w[r], y[r], partial, blocks, signal, columns, device=r)


def main(ranks: int = 4, **how: Any) -> None:
    # As square as it gets.
    columns = max(n for n in range(1, ranks + 1) if ranks % n == 0 and n * n <= ranks)
    rows = ranks // columns
    random = np.random.default_rng(1)
    x = random.integers(-4, 5, (BATCH, rows * DEPTH)).astype(np.float32)
    w = random.integers(-4, 5, (rows * DEPTH, columns * OUT)).astype(np.float32)
    # What each rank gets: its columns of x, its block of w.
    parts = np.stack([x[:, r // columns * DEPTH :][:, :DEPTH] for r in range(ranks)])
    weights = np.stack(
        [w[r // columns * DEPTH :, r % columns * OUT :][:DEPTH, :OUT] for r in range(ranks)]
    )
    y = np.zeros((ranks, columns, BATCH, OUT), np.float32)
    linear(parts, weights, y, ranks=ranks, **how)
    want = np.stack(np.split(x @ w, columns, axis=1))  # one block after the other
    for r in range(ranks):
        assert np.array_equal(y[r], want)
    print(f"mesh matmul: {rows} x {columns} ranks have x @ w of {x.shape} and {w.shape}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a linear layer over a mesh of ranks, compared with NumPy")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(**vars(parser.parse_args()))
