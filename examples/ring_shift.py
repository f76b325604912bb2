"""Blocks travel round a ring of ranks, one place a step: pushed by their owner, or pulled by their next one.

By store: a rank writes its block into the window of its right neighbour and says so. By load: it leaves the block in
its own window, says so, and the neighbour fetches it. Either way a window has two slots, used in turn, and whoever
wants to fill a slot again first waits to hear that the block two steps before has been taken. Without that wait a rank
could be ahead of its right neighbour by as many steps as there are ranks.

    python examples/ring_shift.py --ranks 4
    tilewire run examples/ring_shift.py --ranks 4 --entry shift_by_store --shape x=4x16x64:FP32
    tilewire check examples/ring_shift.py --ranks 2,3,8 --entry shift_by_store
    tilewire check examples/ring_shift.py --ranks 2,3,8 --entry shift_by_load
"""
import argparse
from typing import Any

import numpy as np

import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
ROWS = 16
COLS = 64
STEPS = 5


@pl.jit.incore
def push(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    inbox: pl.InOut[pld.DistributedTensor[[2, ROWS, COLS], pl.FP32]],
    arrived: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    taken: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    ctx = pld.get_comm_ctx(inbox)
    me = pld.rank(ctx)
    ranks = pld.nranks(ctx)
    right = (me + 1) % ranks
    left = (me - 1) % ranks  # `%` rounds down, as in Python
    block = pl.load(x)
    for step in pl.range(STEPS):
        # At least step - 1 blocks have left the neighbour's slots: this one is free.
        pld.system.wait(taken, [0, 0], step - 1)
        pld.tile.remote_store(block, inbox, right, [step % 2, 0, 0])
        pld.system.notify(arrived, right, [0, 0], 1)
        pld.system.wait(arrived, [0, 0], step + 1)
        block = pl.load(inbox, [step % 2, 0, 0], [1, ROWS, COLS])
        pld.system.notify(taken, left, [0, 0], 1)
    y = pl.store(block, [0, 0], y)
    return y


@pl.jit.incore
def pull(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    outbox: pl.InOut[pld.DistributedTensor[[2, ROWS, COLS], pl.FP32]],
    ready: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    fetched: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    ctx = pld.get_comm_ctx(outbox)
    me = pld.rank(ctx)
    ranks = pld.nranks(ctx)
    right = (me + 1) % ranks
    left = (me - 1) % ranks
    block = pl.load(x)
    for step in pl.range(STEPS):
        # The right neighbour has fetched at least step - 1 blocks: it no longer reads this slot.
        pld.system.wait(fetched, [0, 0], step - 1)
        outbox = pl.store(block, [step % 2, 0, 0], outbox)
        pld.system.notify(ready, right, [0, 0], 1)
        pld.system.wait(ready, [0, 0], step + 1)
        block = pld.tile.remote_load(outbox, left, [step % 2, 0, 0], [1, ROWS, COLS])
        pld.system.notify(fetched, left, [0, 0], 1)
    y = pl.store(block, [0, 0], y)
    return y


@pl.jit.host
def shift_by_store(x: pl.Tensor[[NR, ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[NR, ROWS, COLS], pl.FP32]]):
    inbox = pld.alloc_window([2, ROWS, COLS], dtype=pl.FP32)
    arrived = pld.alloc_signal(1)
    taken = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        push(x[r], inbox, arrived, taken, y[r], device=r)


@pl.jit.host
def shift_by_load(x: pl.Tensor[[NR, ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[NR, ROWS, COLS], pl.FP32]]):
    outbox = pld.alloc_window([2, ROWS, COLS], dtype=pl.FP32)
    ready = pld.alloc_signal(1)
    fetched = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        pull(x[r], outbox, ready, fetched, y[r], device=r)


def main(ranks: int = 4, **how: Any) -> None:
    x = np.random.default_rng(1).standard_normal((ranks, ROWS, COLS), dtype=np.float32)
    for name, shift in (("store", shift_by_store), ("load", shift_by_load)):
        y = shift(x, ranks=ranks, **how)
        assert np.array_equal(y, np.roll(x, STEPS, axis=0))
        print(f"ring shift by {name}: {ranks} blocks moved {STEPS} places, rank 0 got that of rank {-STEPS % ranks}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="blocks moved round a ring of ranks, compared with NumPy")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(**vars(parser.parse_args()))
