"""Two groups of ranks that have one rank in common.

A window belongs to the ranks it is dispatched to, and they are a group: `pld.rank` and `pld.nranks` of its context
count within it. Here the lower half of the ranks, the middle one included, adds up its rows; then the upper half does,
middle one included. The calls of one rank run in program order, so the middle rank brings the sum of the lower half
along, and the upper half ends up with the sum of all. Ranks above the middle wait for nothing but that rank.

    python examples/overlapping_groups.py --ranks 4
    tilewire run examples/overlapping_groups.py --ranks 4 --shape values=4x1x128:FP32
    tilewire check examples/overlapping_groups.py --ranks 1,2,3,4,8
"""
import argparse
from typing import Any

import numpy as np

import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
WIDTH = 128


@pl.jit.incore
def add_up(
    row: pl.InOut[pl.Tensor[[1, WIDTH], pl.FP32]],
    rows: pl.InOut[pld.DistributedTensor[[1, WIDTH], pl.FP32]],
    ready: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    ctx = pld.get_comm_ctx(rows)
    rows = pl.store(pl.load(row), [0, 0], rows)
    pld.system.notify_all(ready)
    pld.system.wait_all(ready, 1)
    total = pl.full([1, WIDTH], dtype=pl.FP32, value=0.0)
    for source in pl.range(pld.nranks(ctx)):
        total = total + pld.tile.remote_load(rows, source, [0, 0], [1, WIDTH])
    # The windows of this group are not written again, so nobody has to wait until all have read.
    row = pl.store(total, [0, 0], row)
    return row


@pl.jit.host
def relay(values: pl.InOut[pl.Tensor[[NR, 1, WIDTH], pl.FP32]]):
    n = pld.world_size()
    middle = n // 2
    low_rows = pld.alloc_window([1, WIDTH], dtype=pl.FP32)
    low_ready = pld.alloc_signal(n)
    high_rows = pld.alloc_window([1, WIDTH], dtype=pl.FP32)
    high_ready = pld.alloc_signal(n)
    for r in pl.range(middle + 1):
        add_up(values[r], low_rows, low_ready, device=r)
    for r in pl.range(middle, n):
        add_up(values[r], high_rows, high_ready, device=r)


def main(ranks: int = 4, **how: Any) -> None:
    x = np.random.default_rng(1).standard_normal((ranks, 1, WIDTH), dtype=np.float32)
    values = x.copy()
    relay(values, ranks=ranks, **how)
    middle = ranks // 2
    want = np.zeros_like(x)
    for row in x[: middle + 1]:
        want[:middle] += row
    total = np.zeros((1, WIDTH), np.float32)
    for row in (*x[: middle + 1], *x[middle + 1 :]):
        total += row
    want[middle:] = total
    assert np.array_equal(values, want)
    print(f"overlapping groups: ranks 0 to {middle} and {middle} to {ranks - 1}, rank {middle} passed the sum on")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="sums over two groups with a common rank, compared with NumPy")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(**vars(parser.parse_args()))
