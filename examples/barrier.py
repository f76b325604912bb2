"""A barrier by hand that takes log2(P) rounds, and what it is good for.

In round k every rank tells the one 2^k places to its right and waits for the one 2^k places to its left; after the
last round it has heard, through the others, from everybody. Cells only count up and each has one writer, so a barrier
can follow the next at once: a rank that is ahead adds early, and `wait` asks for "at least".

Ranks use it to look at each other's rows. The first barrier of a step says that all rows are there, the second one
that all have been read and may be overwritten.

    python examples/barrier.py --ranks 4
    tilewire check examples/barrier.py --ranks 1,2,3,4,8
"""
import argparse
from typing import Any

import numpy as np

import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
STEPS = 3
WIDTH = 64
ROUNDS = 16  # enough for 65,536 ranks


@pl.jit.inline
def barrier(signal, me, ranks, times):
    """The call number `times` (from 1) returns when every rank has made it."""
    distance = pl.const(1, pl.INT32)
    k = 0
    while distance < ranks:
        pld.system.notify(signal, (me + distance) % ranks, [k, 0], 1)
        pld.system.wait(signal, [k, 0], times)
        distance = distance * 2
        k = k + 1


@pl.jit.incore
def look_around(
    x: pl.Tensor[[STEPS, WIDTH], pl.FP32],
    board: pl.InOut[pld.DistributedTensor[[1, WIDTH], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[ROUNDS, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, WIDTH], pl.FP32]],
):
    ctx = pld.get_comm_ctx(board)
    me = pld.rank(ctx)
    ranks = pld.nranks(ctx)
    total = pl.full([1, WIDTH], dtype=pl.FP32, value=0.0)
    for step in pl.range(STEPS):
        board = pl.store(pl.load(x, [step, 0], [1, WIDTH]), [0, 0], board)
        barrier(signal, me, ranks, 2 * step + 1)
        total = total + pld.tile.remote_load(board, (me + step + 1) % ranks, [0, 0], [1, WIDTH])
        barrier(signal, me, ranks, 2 * step + 2)
    y = pl.store(total, [0, 0], y)
    return y


@pl.jit.host
def steps(x: pl.Tensor[[NR, STEPS, WIDTH], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, WIDTH], pl.FP32]]):
    board = pld.alloc_window([1, WIDTH], dtype=pl.FP32)
    signal = pld.alloc_signal(ROUNDS)
    for r in pl.range(pld.world_size()):
        look_around(x[r], board, signal, y[r], device=r)


def main(ranks: int = 4, **how: Any) -> None:
    x = np.random.default_rng(1).standard_normal((ranks, STEPS, WIDTH), dtype=np.float32)
    y = steps(x, ranks=ranks, **how)
    want = np.zeros((ranks, 1, WIDTH), np.float32)
    for step in range(STEPS):
        want[:, 0] += np.roll(x[:, step], -(step + 1), axis=0)
    assert np.array_equal(y, want)  # the same sums in the same order
    print(f"barrier: {2 * STEPS} barriers of {ranks} ranks, nobody read too early or wrote too soon")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a barrier by hand, compared with NumPy")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(**vars(parser.parse_args()))
