"""Heat spreads over a plane that is cut into blocks, one a rank: before every step borders go to the neighbours.

Ranks form a grid, as square as their number allows. The window of a rank holds its block with a border of one element,
twice: a step hands the edges of one copy to the up to four neighbours, reads that copy when theirs have come, and
writes the other. One counter per side is enough for order: a neighbour that has sent its edge in step s has done with
the copy of step s - 1, whose borders are the ones that the edges of step s + 1 overwrite.

    python examples/halo_exchange.py --ranks 4
    tilewire check examples/halo_exchange.py --ranks 8 --in across=2
"""
import argparse
from typing import Any

import numpy as np

import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
ROWS = 16
COLS = 32
STEPS = 8
NORTH, SOUTH, WEST, EAST = 0, 1, 2, 3  # cells of `edges`: where the edge came from


@pl.jit.inline
def send_edges(grid, edges, copy, me, across, down):
    i = me // across
    j = me % across
    if i > 0:
        pld.tile.remote_store(pl.load(grid, [copy, 1, 1], [1, 1, COLS]), grid, me - across, [copy, ROWS + 1, 1])
        pld.system.notify(edges, me - across, [SOUTH, 0], 1)
    if i < down - 1:
        pld.tile.remote_store(pl.load(grid, [copy, ROWS, 1], [1, 1, COLS]), grid, me + across, [copy, 0, 1])
        pld.system.notify(edges, me + across, [NORTH, 0], 1)
    if j > 0:
        pld.tile.remote_store(pl.load(grid, [copy, 1, 1], [1, ROWS, 1]), grid, me - 1, [copy, 1, COLS + 1])
        pld.system.notify(edges, me - 1, [EAST, 0], 1)
    if j < across - 1:
        pld.tile.remote_store(pl.load(grid, [copy, 1, COLS], [1, ROWS, 1]), grid, me + 1, [copy, 1, 0])
        pld.system.notify(edges, me + 1, [WEST, 0], 1)


@pl.jit.inline
def await_edges(edges, times, me, across, down):
    i = me // across
    j = me % across
    if i > 0:
        pld.system.wait(edges, [NORTH, 0], times)
    if i < down - 1:
        pld.system.wait(edges, [SOUTH, 0], times)
    if j > 0:
        pld.system.wait(edges, [WEST, 0], times)
    if j < across - 1:
        pld.system.wait(edges, [EAST, 0], times)


@pl.jit.incore
def spread(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    across: pl.Scalar[pl.INT32],
    grid: pl.InOut[pld.DistributedTensor[[2, ROWS + 2, COLS + 2], pl.FP32]],
    edges: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    ctx = pld.get_comm_ctx(grid)
    me = pld.rank(ctx)
    down = pld.nranks(ctx) // across
    # Borders at the rim of the plane stay at 0: windows are zero at the start, and nobody writes these.
    grid = pl.store(pl.load(x), [0, 1, 1], grid)
    for step in pl.range(STEPS):
        now = step % 2
        send_edges(grid, edges, now, me, across, down)
        await_edges(edges, step + 1, me, across, down)
        north = pl.load(grid, [now, 0, 1], [1, ROWS, COLS])
        south = pl.load(grid, [now, 2, 1], [1, ROWS, COLS])
        west = pl.load(grid, [now, 1, 0], [1, ROWS, COLS])
        east = pl.load(grid, [now, 1, 2], [1, ROWS, COLS])
        grid = pl.store((north + south + (west + east)) * 0.25, [1 - now, 1, 1], grid)
    y = pl.store(pl.load(grid, [STEPS % 2, 1, 1], [1, ROWS, COLS]), [0, 0], y)
    return y


@pl.jit.host
def heat(
    x: pl.Tensor[[NR, ROWS, COLS], pl.FP32],
    across: pl.Scalar[pl.INT32],
    y: pl.Out[pl.Tensor[[NR, ROWS, COLS], pl.FP32]],
):
    grid = pld.alloc_window([2, ROWS + 2, COLS + 2], dtype=pl.FP32)
    edges = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        spread(x[r], across, grid, edges, y[r], device=r)


def main(ranks: int = 4, **how: Any) -> None:
    across = max(n for n in range(1, ranks + 1) if ranks % n == 0 and n * n <= ranks)
    down = ranks // across
    plane = np.random.default_rng(1).standard_normal((down * ROWS, across * COLS), dtype=np.float32)

    # The block of rank r is that of row r // across and column r % across of the grid of ranks.
    x = plane.reshape(down, ROWS, across, COLS).swapaxes(1, 2).reshape(ranks, ROWS, COLS)
    y = heat(np.ascontiguousarray(x), across, ranks=ranks, **how)
    got = y.reshape(down, across, ROWS, COLS).swapaxes(1, 2).reshape(plane.shape)

    want = np.pad(plane, 1)
    for _ in range(STEPS):
        inner = (want[:-2, 1:-1] + want[2:, 1:-1] + (want[1:-1, :-2] + want[1:-1, 2:])) * np.float32(0.25)
        want[1:-1, 1:-1] = inner
    assert np.array_equal(got, want[1:-1, 1:-1])  # the same sums in the same order
    print(f"halo exchange: {STEPS} steps on {down} x {across} blocks of {ROWS} x {COLS}, equal to those on one array")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a stencil on blocks spread over ranks, compared with NumPy")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(**vars(parser.parse_args()))
