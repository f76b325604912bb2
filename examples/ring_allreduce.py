"""The sum over all ranks in ring form: every element crosses each link twice, however many ranks there are.

The data is cut into one share per rank. In the first round of steps shares travel to the right, each rank adding its
own part to what it got; after P - 1 steps every rank holds the finished sum of one share. In the second round the
finished shares travel once more, and everybody keeps a copy.

One counter per rank is enough: only the left neighbour adds to it, and the number of steps done says which share has
come. The parts of the first round go to a slot per step. The finished shares go straight to their place: when a rank
sends one, the parts that have come to it say that its right neighbour has long sent its own part of that share.

    python examples/ring_allreduce.py --ranks 4
    tilewire run examples/ring_allreduce.py --ranks 4 --shape x=4x4x256:FP32
    tilewire check examples/ring_allreduce.py --ranks 1,2,3,4,8
"""
import argparse
from typing import Any

import numpy as np

import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
SHARE = 256


@pl.jit.incore
def ring(
    x: pl.Tensor[[NR, SHARE], pl.FP32],
    data: pl.InOut[pld.DistributedTensor[[NR, SHARE], pl.FP32]],
    inbox: pl.InOut[pld.DistributedTensor[[NR, SHARE], pl.FP32]],
    steps: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[NR, SHARE], pl.FP32]],
):
    ctx = pld.get_comm_ctx(data)
    me = pld.rank(ctx)
    ranks = pld.nranks(ctx)
    right = (me + 1) % ranks
    for share in pl.range(ranks):
        data = pl.store(pl.load(x, [share, 0], [1, SHARE]), [share, 0], data)
    for step in pl.range(ranks - 1):
        pld.tile.remote_store(pl.load(data, [(me - step) % ranks, 0], [1, SHARE]), inbox, right, [step, 0])
        pld.system.notify(steps, right, [0, 0], 1)
        pld.system.wait(steps, [0, 0], step + 1)
        share = (me - step - 1) % ranks
        total = pl.load(inbox, [step, 0], [1, SHARE]) + pl.load(data, [share, 0], [1, SHARE])
        data = pl.store(total, [share, 0], data)
    for step in pl.range(ranks - 1):
        share = (me + 1 - step) % ranks
        pld.tile.remote_store(pl.load(data, [share, 0], [1, SHARE]), data, right, [share, 0])
        pld.system.notify(steps, right, [0, 0], 1)
        pld.system.wait(steps, [0, 0], ranks + step)
    for share in pl.range(ranks):
        y = pl.store(pl.load(data, [share, 0], [1, SHARE]), [share, 0], y)
    return y


@pl.jit.host
def allreduce(x: pl.Tensor[[NR, NR, SHARE], pl.FP32], y: pl.Out[pl.Tensor[[NR, NR, SHARE], pl.FP32]]):
    n = pld.world_size()
    data = pld.alloc_window([n, SHARE], dtype=pl.FP32)
    inbox = pld.alloc_window([n, SHARE], dtype=pl.FP32)
    steps = pld.alloc_signal(1)
    for r in pl.range(n):
        ring(x[r], data, inbox, steps, y[r], device=r)


def main(ranks: int = 4, **how: Any) -> None:
    x = np.random.default_rng(1).standard_normal((ranks, ranks, SHARE), dtype=np.float32)
    y = allreduce(x, ranks=ranks, **how)
    for share in range(ranks):
        # Share s sets out from rank s; each rank on its way adds its part.
        want = x[share, share].copy()
        for step in range(1, ranks):
            want += x[(share + step) % ranks, share]
        assert np.array_equal(y[:, share], np.broadcast_to(want, (ranks, SHARE)))
    print(f"ring allreduce: {ranks} ranks have the same sum of {ranks * SHARE} elements, to the last bit")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a sum over all ranks round a ring, compared with NumPy")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(**vars(parser.parse_args()))
