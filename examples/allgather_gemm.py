"""All-gather and product in one: each rank multiplies the rows of all ranks with its own columns.

Rows are multiplied as they come. `send` hands the own rows to every peer. Meanwhile the own rows are multiplied,
which needs nobody. For the rows of each other rank there is a deferred wait: a task that ends when the signal comes
and occupies no core until then. The product that names it in `deps=` starts that moment, in whatever order the ranks
are done sending.

`pl.no_dep` takes the gathered rows out of the order of tasks: the product would otherwise wait for `send`, which uses
the same window, though never the part that is read here.

    python examples/allgather_gemm.py --ranks 4
    tilewire run examples/allgather_gemm.py --ranks 4 --shape x=4x32x64:FP32
    tilewire check examples/allgather_gemm.py --ranks 1,2,3,4,8
"""
import argparse
from typing import Any

import numpy as np

import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
ROWS = 32
DEPTH = 64
COLS = 32


@pl.jit.incore
def send(
    x: pl.Tensor[[ROWS, DEPTH], pl.FP32],
    gathered: pl.InOut[pld.DistributedTensor[[NR, ROWS, DEPTH], pl.FP32]],
    arrived: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    ctx = pld.get_comm_ctx(gathered)
    me = pld.rank(ctx)
    ranks = pld.nranks(ctx)
    for step in pl.range(1, ranks):
        # Ranks start with different peers, so that no one gets everything at once.
        pld.tensor.put(gathered[me], (me + step) % ranks, x, signal=arrived, at=[me, 0], value=1)


@pl.jit.incore
def multiply(x, w, y: pl.Out):
    y[...] = pl.matmul(pl.load(x), pl.load(w))
    return y


@pl.jit
def chip(
    x: pl.Tensor[[ROWS, DEPTH], pl.FP32],
    w: pl.Tensor[[DEPTH, COLS], pl.FP32],
    gathered: pl.InOut[pld.DistributedTensor[[NR, ROWS, DEPTH], pl.FP32]],
    arrived: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[NR, ROWS, COLS], pl.FP32]],
):
    ctx = pld.get_comm_ctx(gathered)
    me = pld.rank(ctx)
    ranks = pld.nranks(ctx)
    send(x, gathered, arrived)
    multiply(x, w, y[me])
    for step in pl.range(1, ranks):
        source = (me - step) % ranks
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="arrived") as here:
            pld.system.defer_wait(arrived, [source, 0], 1)
        multiply(pl.no_dep(gathered[source]), w, y[source], deps=[here])
    return y


@pl.jit.host
def linear(
    x: pl.Tensor[[NR, ROWS, DEPTH], pl.FP32],
    w: pl.Tensor[[NR, DEPTH, COLS], pl.FP32],
    y: pl.Out[pl.Tensor[[NR, NR, ROWS, COLS], pl.FP32]],
):
    n = pld.world_size()
    gathered = pld.alloc_window([n, ROWS, DEPTH], dtype=pl.FP32)
    arrived = pld.alloc_signal(n)
    for r in pl.range(n):
        chip(x[r], w[r], gathered, arrived, y[r], device=r)


def main(ranks: int = 4, **how: Any) -> None:
    random = np.random.default_rng(1)
    x = random.standard_normal((ranks, ROWS, DEPTH), dtype=np.float32)
    w = random.standard_normal((ranks, DEPTH, COLS), dtype=np.float32)
    y = linear(x, w, ranks=ranks, **how)
    left, right = x.astype(np.float64)[None], w.astype(np.float64)[:, None]
    error = np.abs(y - left @ right)
    size = f"{ranks * ROWS} x {DEPTH} x {ranks * COLS}"
    print(f"all-gather gemm: {size} on {ranks} ranks, largest error {error.max():.1e}")
    # Any order of adding up stays within DEPTH * eps * sum|products|.
    assert np.all(error <= DEPTH * 2.0**-23 * (np.abs(left) @ np.abs(right)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="rows gathered while they are multiplied, compared with NumPy")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(**vars(parser.parse_args()))
