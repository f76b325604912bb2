"""Persistent blocks that take tiles from one counter, so that whoever is done first takes the next one.

Some tiles take longer than others: each is smoothed a number of times. Every rank launches a few blocks that stay until
there are no tiles left. They take tiles by `fetch_add` on a counter that rank 0 keeps: the value it returns is the
number of a tile that nobody else has. The result goes to the rank that owns the tile, which is told, and waits until
all of its tiles have come.

Who computes which tile depends on the schedule; the results do not.

    python examples/tile_scheduler.py --ranks 4
    tilewire check examples/tile_scheduler.py --ranks 2 --shape x=48x32:FP32 --shape y=2x32x32:FP32
"""
import argparse
from typing import Any

import numpy as np

import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
ROWS = pl.dynamic("ROWS")  # of all tiles
OWN = pl.dynamic("OWN")  # rows of results that a rank keeps
TILE = 16
COLS = 32
BLOCKS = 2


@pl.jit.inline
def rounds_of(tile):
    return tile * 7 % 13 * 3 + 1


@pl.jit.incore
def work(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    results: pl.InOut[pld.DistributedTensor[[OWN, COLS], pl.FP32]],
    taken: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    ready: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
):
    ranks = pld.nranks(pld.get_comm_ctx(results))
    tiles = pl.cast(pl.dim(x, 0) // TILE, pl.INT32)
    tile = pld.system.fetch_add(taken, 0, [0, 0], 1)
    while tile < tiles:
        t = pl.load(x, [tile * TILE, 0], [TILE, COLS])
        for i in pl.range(rounds_of(tile)):
            t = t * 0.5 + 0.25
        owner = tile % ranks
        pld.tile.remote_store(t, results, owner, [tile // ranks * TILE, 0])
        pld.system.notify(ready, owner, [0, 0], 1)
        tile = pld.system.fetch_add(taken, 0, [0, 0], 1)


@pl.jit.incore
def collect(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    results: pl.InOut[pld.DistributedTensor[[OWN, COLS], pl.FP32]],
    ready: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[OWN, COLS], pl.FP32]],
):
    ctx = pld.get_comm_ctx(results)
    me = pld.rank(ctx)
    ranks = pld.nranks(ctx)
    tiles = pl.cast(pl.dim(x, 0) // TILE, pl.INT32)
    mine = (tiles - me + ranks - 1) // ranks
    pld.system.wait(ready, [0, 0], mine)
    for i in pl.range(mine):
        y = pl.store(pl.load(results, [i * TILE, 0], [TILE, COLS]), [i * TILE, 0], y)
    return y


@pl.jit
def chip(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    results: pl.InOut[pld.DistributedTensor[[OWN, COLS], pl.FP32]],
    taken: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    ready: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[OWN, COLS], pl.FP32]],
):
    with pl.spmd(BLOCKS):
        work(x, results, taken, ready)
    y = collect(x, results, ready, y)
    return y


@pl.jit.host
def schedule_tiles(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    y: pl.Out[pl.Tensor[[NR, OWN, COLS], pl.FP32]],
):
    results = pld.alloc_window([OWN, COLS], dtype=pl.FP32)
    taken = pld.alloc_signal(1)
    ready = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        chip(x, results, taken, ready, y[r], device=r)


def main(ranks: int = 4, **how: Any) -> None:
    tiles = 3 * ranks + 1
    own = -(-tiles // ranks)
    x = np.random.default_rng(1).standard_normal((tiles * TILE, COLS), dtype=np.float32)
    y = np.zeros((ranks, own * TILE, COLS), np.float32)
    schedule_tiles(x, y, ranks=ranks, **how)
    for tile in range(tiles):
        want = x[tile * TILE : (tile + 1) * TILE]
        for _ in range(tile * 7 % 13 * 3 + 1):
            want = want * np.float32(0.5) + np.float32(0.25)
        row = tile // ranks * TILE
        np.testing.assert_allclose(y[tile % ranks, row : row + TILE], want, rtol=1e-6, atol=1e-6)
    print(f"tile scheduler: {ranks} ranks of {BLOCKS} blocks took {tiles} tiles from one counter, each once")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="tiles taken from a counter by whoever is free")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(**vars(parser.parse_args()))
