"""More tasks than a rank submits at once, ordered after one that spins until the last of them has run."""

import textwrap

import numpy as np
import pytest

import tilewire.language as pl

PROGRAM = textwrap.dedent(
    """
    import tilewire.language as pl


    @pl.jit.incore
    def spin(t: pl.InOut[pl.Tensor[[4], pl.INT64]], y: pl.InOut[pl.Tensor[[1, 8], pl.INT32]]):
        while pl.atomic_add(t, [1], 0) < 1:
            pass
        y[...] = pl.load(y) + 1


    @pl.jit.incore
    def increase(y: pl.InOut[pl.Tensor[[1, 8], pl.INT32]]):
        y[...] = pl.load(y) + 1


    @pl.jit.incore
    def release(t: pl.InOut[pl.Tensor[[4], pl.INT64]]):
        pl.atomic_add(t, [1], 1)


    @pl.jit
    def main(y: pl.InOut[pl.Tensor[[1, 8], pl.INT32]], n: pl.Scalar[pl.INDEX]):
        t = pl.create_tensor([4], dtype=pl.INT64)
        for i in pl.range(4):
            t[i] = 0
        spin(pl.no_dep(t), y)
        for i in pl.range(n):
            increase(y)
        release(pl.no_dep(t))
    """
)


@pytest.mark.parametrize("threads", [1, 2])
def test_spinning_tasks_see_those_submitted_later(threads):
    exe = pl.parse(PROGRAM).compile(entry="main")
    y = np.zeros((1, 8), np.int32)
    exe(y, n=5000, threads=threads)
    assert (y == 5001).all()
