#!/usr/bin/env python3
"""Tiles taken from a counter beside tiles dealt out beforehand, in one run on one machine.

    .venv/bin/python bench/scheduler.py [--quick] [--repeats N]

Persistent workers, one for each core, smooth the tiles of a matrix. With `counter` each takes the next tile from a
counter (`pl.atomic_add` for blocks of one rank, `pld.system.fetch_add` for ranks); with `static` each has an equal,
connected share. A tile takes a number of rounds that the program reads from an array: the same for all, or, skewed, falling from
twice the mean to nothing. Repetitions of both take turns; the table shows the least time of each, because other work on
the machine only ever adds. The results of both are compared.

Goals: at least 0.95 of the throughput of the static split on equal tiles, and more than it on skewed ones.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Callable

import numpy as np

import tilewire.language as pl
import tilewire.language.distributed as pld

WORKERS = 2
TILE = 16
COLS = 256
TILES = pl.dynamic("TILES")
ROWS = pl.dynamic("ROWS")


@pl.jit.inline
def smooth(x, rounds, tile, y):
    t = pl.load(x, [tile * TILE, 0], [TILE, COLS])
    for i in pl.range(pl.read(rounds, [tile])):
        t = t * 0.5 + 0.25
    y = pl.store(t, [tile * TILE, 0], y)
    return y


@pl.jit.incore
def blocks_of_counter(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    rounds: pl.Tensor[[TILES], pl.INT32],
    taken: pl.InOut[pl.Tensor[[1], pl.INT32]],
    y: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    tiles = pl.cast(pl.dim(rounds, 0), pl.INT32)
    tile = pl.atomic_add(taken, [0], 1)
    while tile < tiles:
        y = smooth(x, rounds, tile, y)
        tile = pl.atomic_add(taken, [0], 1)
    return y


@pl.jit.incore
def blocks_of_shares(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    rounds: pl.Tensor[[TILES], pl.INT32],
    y: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    share = pl.dim(rounds, 0) // WORKERS
    first = pl.tile.get_block_idx() * share
    for tile in pl.range(first, first + share):
        y = smooth(x, rounds, tile, y)
    return y


@pl.jit
def by_blocks(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    rounds: pl.Tensor[[TILES], pl.INT32],
    taken: pl.InOut[pl.Tensor[[1], pl.INT32]],
    y: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    with pl.spmd(WORKERS):
        y = blocks_of_counter(x, rounds, taken, y)
    return y


@pl.jit
def by_blocks_static(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    rounds: pl.Tensor[[TILES], pl.INT32],
    y: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    with pl.spmd(WORKERS):
        y = blocks_of_shares(x, rounds, y)
    return y


@pl.jit.incore
def rank_of_counter(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    rounds: pl.Tensor[[TILES], pl.INT32],
    taken: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    y: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    tiles = pl.cast(pl.dim(rounds, 0), pl.INT32)
    tile = pld.system.fetch_add(taken, 0, [0, 0], 1)
    while tile < tiles:
        y = smooth(x, rounds, tile, y)
        tile = pld.system.fetch_add(taken, 0, [0, 0], 1)


@pl.jit.incore
def rank_of_share(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    rounds: pl.Tensor[[TILES], pl.INT32],
    taken: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    y: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    share = pl.dim(rounds, 0) // WORKERS
    first = pl.cast(pld.rank(pld.get_comm_ctx(taken)), pl.INDEX) * share
    for tile in pl.range(first, first + share):
        y = smooth(x, rounds, tile, y)


@pl.jit.host
def by_ranks(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    rounds: pl.Tensor[[TILES], pl.INT32],
    y: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    taken = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        rank_of_counter(x, rounds, taken, y, device=r)


@pl.jit.host
def by_ranks_static(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    rounds: pl.Tensor[[TILES], pl.INT32],
    y: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    taken = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        rank_of_share(x, rounds, taken, y, device=r)


def least_times(pair: tuple[Callable[[], None], Callable[[], None]], repeats: int) -> list[float]:
    least = [float("inf")] * 2
    for call in pair:
        call()
    for _ in range(repeats):
        for i, call in enumerate(pair):
            start = time.perf_counter()
            call()
            least[i] = min(least[i], time.perf_counter() - start)
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description="tiles from a counter beside a static split")
    parser.add_argument("--quick", action="store_true", help="few repetitions, and no goals")
    parser.add_argument("--repeats", type=int, default=500)
    options = parser.parse_args()
    repeats = 5 if options.quick else options.repeats
    tiles = 128
    mean = 100
    x = np.random.default_rng(1).standard_normal((tiles * TILE, COLS), dtype=np.float32)
    equal = np.full(tiles, mean, np.int32)
    skewed = np.linspace(2 * mean, 0, tiles).astype(np.int32)
    out, want = np.zeros_like(x), np.zeros_like(x)
    taken = np.zeros(1, np.int32)
    missed = 0
    print(f"{os.cpu_count()} cores, {WORKERS} workers, {tiles} tiles of {TILE}x{COLS}")
    print(f"{'workers':8} {'tiles':8} {'counter':>10} {'static':>10} {'ratio':>7} {'goal':>7}")
    for who in ("blocks", "ranks"):
        for kind, rounds in (("equal", equal), ("skewed", skewed)):
            if who == "blocks":

                def counter(rounds: np.ndarray = rounds) -> None:
                    taken[0] = 0
                    by_blocks(x, rounds, taken, out, threads=WORKERS)

                def static(rounds: np.ndarray = rounds) -> None:
                    by_blocks_static(x, rounds, want, threads=WORKERS)
            else:

                def counter(rounds: np.ndarray = rounds) -> None:
                    by_ranks(x, rounds, out, ranks=WORKERS, threads=WORKERS)

                def static(rounds: np.ndarray = rounds) -> None:
                    by_ranks_static(x, rounds, want, ranks=WORKERS, threads=WORKERS)

            out[:], want[:] = 0, 0
            ours, theirs = least_times((counter, static), repeats)
            assert np.array_equal(out, want)
            ratio, goal = theirs / ours, 0.95 if kind == "equal" else 1.0
            met = ratio >= goal
            missed += not met
            times = f"{ours * 1e6:7.0f} us {theirs * 1e6:7.0f} us"
            print(f"{who:8} {kind:8} {times} {ratio:7.2f} {goal:7.2f}{'' if met else '  missed'}")
    if missed and not options.quick:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
