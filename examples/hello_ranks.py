"""Every rank greets its right neighbour.

A rank knows its number and how many ranks there are. `notify` sets a cell in the neighbour's copy of a window; `wait`
blocks until the own cell is set and gives the value it saw, which tells who greeted.

    python examples/hello_ranks.py --ranks 4
    tilewire check examples/hello_ranks.py --ranks 1,2,3,4,8
"""
import argparse
from typing import Any

import numpy as np

import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def greet(
    greeting: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    out: pl.Out[pl.Tensor[[3], pl.INT32]],
):
    ctx = pld.get_comm_ctx(greeting)
    me = pld.rank(ctx)
    ranks = pld.nranks(ctx)
    # Cells are 0 at the start, so rank r says r + 1. With one rank the neighbour is the rank itself.
    pld.system.notify(greeting, (me + 1) % ranks, [0, 0], me + 1, op=pld.NotifyOp.Set)
    seen = pld.system.wait(greeting, [0, 0], 1)
    out = pl.write(out, [0], me)
    out = pl.write(out, [1], ranks)
    out = pl.write(out, [2], seen - 1)
    return out


@pl.jit.host
def hello(out: pl.Out[pl.Tensor[[NR, 3], pl.INT32]]):
    greeting = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        greet(greeting, out[r], device=r)


def main(ranks: int = 4, **how: Any) -> None:
    out = np.zeros((ranks, 3), np.int32)
    hello(out, ranks=ranks, **how)
    me = np.arange(ranks)
    assert np.array_equal(out, np.stack([me, np.full(ranks, ranks), (me - 1) % ranks], axis=1))
    me, of, greeted_by = out[-1]
    print(f"hello: rank {me} of {of} was greeted by rank {greeted_by}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="every rank greets its neighbour")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(**vars(parser.parse_args()))
