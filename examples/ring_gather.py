"""Blocks travel round a ring of ranks until every rank holds the blocks of all.

In each step a rank hands the block it got last to its right neighbour, together with a signal. The window has a
slot per source rank, so nothing is ever overwritten and no acknowledgement is needed. Each rank waits on one cell
that only its left neighbour adds to.

    python examples/ring_gather.py --ranks 4
    tilewire run examples/ring_gather.py --ranks 4 --shape x=4x16x64:FP32
    tilewire check examples/ring_gather.py --ranks 1,2,3,4,8
"""
import argparse
from typing import Any

import numpy as np

import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
ROWS = 16
COLS = 64


@pl.program
class RingGather:
    @pl.function(type=pl.FunctionType.InCore)
    def gather(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        box: pl.InOut[pld.DistributedTensor[[NR, ROWS, COLS], pl.FP32]],
        arrived: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        y: pl.Out[pl.Tensor[[NR, ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[NR, ROWS, COLS], pl.FP32]:
        ctx = pld.get_comm_ctx(box)
        me = pld.rank(ctx)
        ranks = pld.nranks(ctx)
        right = (me + 1) % ranks
        # The own block starts in the own slot.
        box = pl.store(pl.load(x), [me, 0, 0], box)
        for step in pl.range(ranks - 1):
            # The block that started `step` ranks to the left is here now: `%` rounds down, as in Python.
            source = (me - step) % ranks
            pld.tensor.put(
                box, right, box, [source, 0, 0], [source, 0, 0], [1, ROWS, COLS],
                signal=arrived, at=[0, 0], value=1,
            )  # fmt: skip
            # The counter only grows, so `ge` (the default) holds from the moment block `step + 1` is here.
            pld.system.wait(arrived, [0, 0], step + 1)
        for source in pl.range(ranks):
            y = pl.store(pl.load(box, [source, 0, 0], [1, ROWS, COLS]), [source, 0, 0], y)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[NR, ROWS, COLS], pl.FP32],
        y: pl.Out[pl.Tensor[[NR, NR, ROWS, COLS], pl.FP32]],
    ):
        box = pld.alloc_window([pld.world_size(), ROWS, COLS], dtype=pl.FP32)
        arrived = pld.alloc_signal(1)
        for r in pl.range(pld.world_size()):
            self.gather(x[r], box, arrived, y[r], device=r)


def main(ranks: int = 4, **how: Any) -> None:
    x = np.random.default_rng(1).standard_normal((ranks, ROWS, COLS), dtype=np.float32)
    y = RingGather.host(x, ranks=ranks, **how)
    assert np.array_equal(y, np.broadcast_to(x, (ranks, *x.shape)))
    print(f"ring gather: each of {ranks} ranks holds the blocks of all after {ranks - 1} steps")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="blocks of all ranks gathered round a ring, compared with NumPy")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(**vars(parser.parse_args()))
