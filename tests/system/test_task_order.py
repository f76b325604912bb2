"""Communication order of a window does not depend on how kernels declare it: sums in one kernel and in three tasks."""

import numpy as np
import pytest
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


def build(rows, columns, mode, tasks):
    @pl.jit.incore
    def whole(x: pl.Tensor[[rows, columns], pl.FP32], y: pl.Out[pl.Tensor[[rows, columns], pl.FP32]],
              part: pl.InOut[pld.DistributedTensor[[rows, columns], pl.FP32]],
              sig: pl.InOut[pld.DistributedTensor[[2 * NR, 1], pl.INT32]]):
        part = pl.store(pl.load(x, [0, 0], [rows, columns]), [0, 0], part)
        part = pld.tensor.allreduce(part, sig, mode=mode)
        y = pl.store(pl.load(part, [0, 0], [rows, columns]), [0, 0], y)

    @pl.jit.incore
    def fill(x: pl.Tensor[[rows, columns], pl.FP32], part: pl.Out[pl.Tensor[[rows, columns], pl.FP32]]):
        pl.store(pl.load(x, [0, 0], [rows, columns]), [0, 0], part)

    @pl.jit.incore
    def add_up(part: pl.InOut[pld.DistributedTensor[[rows, columns], pl.FP32]],
               sig: pl.InOut[pld.DistributedTensor[[2 * NR, 1], pl.INT32]]):
        part = pld.tensor.allreduce(part, sig, mode=mode)

    @pl.jit.incore
    def take(part: pl.Tensor[[rows, columns], pl.FP32], y: pl.Out[pl.Tensor[[rows, columns], pl.FP32]]):
        pl.store(pl.load(part, [0, 0], [rows, columns]), [0, 0], y)

    @pl.jit
    def chip(x, y, part, sig):
        if tasks == 1:
            whole(x, y, part, sig)
        else:
            fill(x, part)
            add_up(part, sig)
            take(part, y)

    @pl.jit.host
    def main(x: pl.Tensor[[NR, rows, columns], pl.FP32], y: pl.Out[pl.Tensor[[NR, rows, columns], pl.FP32]]):
        part = pld.alloc_window([rows, columns], dtype=pl.FP32)
        sig = pld.alloc_signal(2 * pld.world_size())
        for r in pl.range(pld.world_size()):
            chip(x[r], y[r], part, sig, device=r)

    return main


@pytest.mark.parametrize("mode", ["auto", "mesh", "two_shot", "ring"])
@pytest.mark.parametrize("shape", [(1, 64), (8, 32), (33, 70)])
def test_a_window_taken_as_a_plain_tensor_stays_in_communication_order(shape, mode):
    for tasks in (1, 3):
        main = build(*shape, mode, tasks)
        for ranks in (1, 2, 3, 5):
            x = np.random.default_rng(0).integers(-8, 8, (ranks, *shape)).astype(np.float32)
            for schedule in (None, "random:1", "random:2"):
                y = np.zeros_like(x)
                main(x, y, ranks=ranks, schedule=schedule)
                np.testing.assert_array_equal(y, np.broadcast_to(x.sum(0), x.shape), err_msg=f"{tasks=} {ranks=}")
