"""The sum of one row over all ranks, written by hand.

Every rank puts its row into a window, tells every peer, waits for every peer, then adds the rows of all ranks in
rank order, so that all results are bitwise equal. After the second meeting no peer reads this rank's row any more: a
kernel that goes on could overwrite it. This one ends there and would be correct without it.

    python examples/mesh_allreduce.py --ranks 4
    tilewire run examples/mesh_allreduce.py --ranks 4 --shape x=4x256:FP32
    tilewire check examples/mesh_allreduce.py --ranks 1,2,3,4,8
"""
import argparse
from typing import Any

import numpy as np

import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
WIDTH = 256


@pl.jit.inline
def meet(signal, me, ranks, round_number):
    """Returns when every rank has called it as often as this one."""
    for peer in pl.range(ranks):
        if peer != me:
            pld.system.notify(signal, peer, [me, 0], 1)
    for source in pl.range(ranks):
        if source != me:
            pld.system.wait(signal, [source, 0], round_number)


@pl.jit.incore
def allreduce(
    x: pl.Tensor[[1, WIDTH], pl.FP32],
    y: pl.Out[pl.Tensor[[1, WIDTH], pl.FP32]],
    rows: pl.InOut[pld.DistributedTensor[[1, WIDTH], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    ctx = pld.get_comm_ctx(rows)
    me = pld.rank(ctx)
    ranks = pld.nranks(ctx)
    rows = pl.store(pl.load(x), [0, 0], rows)
    meet(signal, me, ranks, 1)
    total = pl.full([1, WIDTH], dtype=pl.FP32, value=0.0)
    for source in pl.range(ranks):
        total = total + pld.tile.remote_load(rows, source, [0, 0], [1, WIDTH])
    meet(signal, me, ranks, 2)
    y = pl.store(total, [0, 0], y)


@pl.jit.host
def sum_rows(x: pl.Tensor[[NR, WIDTH], pl.FP32], y: pl.Out[pl.Tensor[[NR, WIDTH], pl.FP32]]):
    rows = pld.alloc_window([1, WIDTH], dtype=pl.FP32)
    signal = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        allreduce(x[r : r + 1, :], y[r : r + 1, :], rows, signal, device=r)


def main(ranks: int = 4, **how: Any) -> None:
    x = np.random.default_rng(1).standard_normal((ranks, WIDTH), dtype=np.float32)
    y = sum_rows(x, ranks=ranks, **how)
    want = np.zeros(WIDTH, np.float32)
    for row in x:
        want += row
    assert np.array_equal(y, np.broadcast_to(want, y.shape))  # the same sum in the same order, on every rank
    print(f"mesh allreduce: {ranks} ranks have the same sum of {ranks} rows, to the last bit")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="the sum of a row over all ranks, compared with NumPy")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(**vars(parser.parse_args()))
