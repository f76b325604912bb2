"""A stream of blocks through a few slots, with an epoch per slot.

Every rank runs two blocks at once: one produces for the right neighbour, the other consumes what the left neighbour
produces. A slot is filled again and again. `filled` tells the consumer, and `freed` the producer, how many times that
has happened: an epoch, set by one writer, only growing, so "at least" is the right question even when the other side
is ahead. The producer runs at most `SLOTS` items ahead and never overwrites what is still to be read.

    python examples/producer_consumer.py --ranks 4
    tilewire run examples/producer_consumer.py --ranks 4 --shape x=4x10x8x64:FP32
    tilewire check examples/producer_consumer.py --ranks 1,2,3,4,8
"""
import argparse
from typing import Any

import numpy as np

import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
ITEMS = 10
SLOTS = 3
ROWS = 8
COLS = 64


@pl.jit.inline
def produce(x, slots, filled, freed, right):
    for item in pl.range(ITEMS):
        slot = item % SLOTS
        epoch = item // SLOTS + 1
        block = pl.load(x, [item, 0, 0], [1, ROWS, COLS])
        pld.system.wait(freed, [slot, 0], epoch - 1)
        pld.tile.remote_store(block * 2.0, slots, right, [slot, 0, 0])
        pld.system.notify(filled, right, [slot, 0], epoch, op=pld.NotifyOp.Set)


@pl.jit.inline
def consume(slots, filled, freed, left, y):
    total = pl.full([ROWS, COLS], dtype=pl.FP32, value=0.0)
    for item in pl.range(ITEMS):
        slot = item % SLOTS
        epoch = item // SLOTS + 1
        pld.system.wait(filled, [slot, 0], epoch)
        total = total + pl.load(slots, [slot, 0, 0], [1, ROWS, COLS])
        pld.system.notify(freed, left, [slot, 0], epoch, op=pld.NotifyOp.Set)
        y = pl.store(total, [item, 0, 0], y)
    return y


@pl.jit.incore
def stream(
    x: pl.Tensor[[ITEMS, ROWS, COLS], pl.FP32],
    slots: pl.InOut[pld.DistributedTensor[[SLOTS, ROWS, COLS], pl.FP32]],
    filled: pl.InOut[pld.DistributedTensor[[SLOTS, 1], pl.INT32]],
    freed: pl.InOut[pld.DistributedTensor[[SLOTS, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[ITEMS, ROWS, COLS], pl.FP32]],
):
    ctx = pld.get_comm_ctx(slots)
    me = pld.rank(ctx)
    ranks = pld.nranks(ctx)
    if pl.tile.get_block_idx() == 0:
        produce(x, slots, filled, freed, (me + 1) % ranks)
    else:
        y = consume(slots, filled, freed, (me - 1) % ranks, y)
    return y


@pl.jit
def chip(
    x: pl.Tensor[[ITEMS, ROWS, COLS], pl.FP32],
    slots: pl.InOut[pld.DistributedTensor[[SLOTS, ROWS, COLS], pl.FP32]],
    filled: pl.InOut[pld.DistributedTensor[[SLOTS, 1], pl.INT32]],
    freed: pl.InOut[pld.DistributedTensor[[SLOTS, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[ITEMS, ROWS, COLS], pl.FP32]],
):
    # Neither block can finish without the other side, so both have to be there: sync_start.
    with pl.spmd(2, sync_start=True):
        y = stream(x, slots, filled, freed, y)
    return y


@pl.jit.host
def running_sums(
    x: pl.Tensor[[NR, ITEMS, ROWS, COLS], pl.FP32],
    y: pl.Out[pl.Tensor[[NR, ITEMS, ROWS, COLS], pl.FP32]],
):
    slots = pld.alloc_window([SLOTS, ROWS, COLS], dtype=pl.FP32)
    filled = pld.alloc_signal(SLOTS)
    freed = pld.alloc_signal(SLOTS)
    for r in pl.range(pld.world_size()):
        chip(x[r], slots, filled, freed, y[r], device=r)


def main(ranks: int = 4, **how: Any) -> None:
    x = np.random.default_rng(1).standard_normal((ranks, ITEMS, ROWS, COLS), dtype=np.float32)
    y = running_sums(x, ranks=ranks, **how)
    want = np.cumsum(np.roll(x, 1, axis=0) * np.float32(2), axis=1, dtype=np.float32)
    assert np.array_equal(y, want)
    print(f"producer and consumer: {ITEMS} blocks through {SLOTS} slots between each two of {ranks} ranks")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a stream of blocks with epochs, compared with NumPy")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(**vars(parser.parse_args()))
