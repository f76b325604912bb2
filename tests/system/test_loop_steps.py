"""Loops whose step is a run-time value: native code, the interpreter and Python's own range agree."""

import numpy as np
import pytest
import tilewire
import tilewire.language as pl


@pl.jit.incore
def rounds(start: pl.Scalar[pl.INDEX], stop: pl.Scalar[pl.INDEX], step: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[4], pl.INT64]]):
    count = pl.const(0, pl.INT64)
    last = pl.const(0, pl.INT64)
    total = pl.const(0, pl.INT64)
    for i in pl.range(start, stop, step):
        count = count + 1
        last = pl.cast(i, pl.INT64)
        total = total + i
    y[0] = count
    y[1] = last
    y[2] = total
    y[3] = 7


@pl.jit.incore
def left(start: pl.Scalar[pl.INT32], stop: pl.Scalar[pl.INT32], step: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[2], pl.INT64]]):
    count = pl.const(0, pl.INT64)
    total = pl.const(0, pl.INT64)
    for i in pl.range(start, stop, step):
        if count == 5:
            break
        count = count + 1
        if i % 3 == 0:
            continue
        total = total + i
    y[0] = count
    y[1] = total


@pl.jit.incore
def double(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    y = pl.store(pl.load(x) * 2.0, [0, 0], y)


@pl.jit
def every(x: pl.Tensor[[16, 8], pl.FP32], y: pl.InOut[pl.Tensor[[16, 8], pl.FP32]], first: pl.Scalar[pl.INDEX], by: pl.Scalar[pl.INDEX]):
    for i in pl.parallel(first, 16, by):
        double(x[i : i + 1, :], y[i : i + 1, :])


@pl.jit.incore
def strided(x: pl.Tensor[[16, 8], pl.FP32], y: pl.InOut[pl.Tensor[[16, 8], pl.FP32]], total: pl.Scalar[pl.INDEX]):
    block = pl.tile.get_block_idx()
    blocks = pl.tile.get_block_num()
    for i in pl.range(block, total, blocks):
        y = pl.store(pl.load(x, [i, 0], [1, 8]) * 2.0, [i, 0], y)


@pl.jit
def blocks(x: pl.Tensor[[16, 8], pl.FP32], y: pl.InOut[pl.Tensor[[16, 8], pl.FP32]], total: pl.Scalar[pl.INDEX], n: pl.Scalar[pl.INDEX]):
    with pl.spmd(n):
        strided(x, y, total)


TARGETS = pytest.mark.parametrize("target", ["cpu", "interp"])


def bounds(seed, count=60):
    random = np.random.default_rng(seed)
    for _ in range(count):
        start, stop = (int(v) for v in random.integers(-40, 40, 2))
        step = int(random.integers(-9, 10)) or 1
        yield start, stop, step


@TARGETS
def test_rounds(target):
    exe = rounds.compile(target=target)
    for start, stop, step in bounds(1):
        all_rounds = range(start, stop, step)
        expected = [len(all_rounds), all_rounds[-1] if all_rounds else 0, sum(all_rounds), 7]
        assert exe(start, stop, step).tolist() == expected, (start, stop, step)


@TARGETS
def test_rounds_that_are_left(target):
    exe = left.compile(target=target)
    for start, stop, step in bounds(2):
        taken = list(range(start, stop, step))[:5]
        assert exe(start, stop, step).tolist() == [len(taken), sum(i for i in taken if i % 3)], (start, stop, step)


@TARGETS
@pytest.mark.parametrize("f", [rounds, left])
def test_no_step(target, f):
    with pytest.raises(tilewire.RunError, match=r"error\[TW2111\]: the step of a loop must not be 0") as caught:
        f(0, 4, 0, target=target)
    assert caught.value.diagnostics[0].line > 0
    assert f(0, 4, 2, target=target)[0] == 2


@TARGETS
def test_no_step_in_an_orchestration_function(target):
    x = np.ones((16, 8), np.float32)
    with pytest.raises(tilewire.RunError, match=r"error\[TW2111\]"):
        every(x, np.zeros_like(x), 0, 0, target=target)


@TARGETS
@pytest.mark.parametrize("first, by", [(0, 1), (3, 4), (15, 7), (20, 2)])
def test_tasks(target, first, by):
    x = np.arange(128, dtype=np.float32).reshape(16, 8)
    expected = np.zeros_like(x)
    expected[first::by] = 2 * x[first::by]
    y = np.zeros_like(x)
    every(x, y, first, by, target=target)
    np.testing.assert_array_equal(y, expected)


@TARGETS
@pytest.mark.parametrize("total, n", [(16, 1), (16, 3), (5, 8), (0, 4)])
def test_rows_by_block(target, total, n):
    x = np.arange(128, dtype=np.float32).reshape(16, 8)
    expected = np.zeros_like(x)
    expected[:total] = 2 * x[:total]
    y = np.zeros_like(x)
    blocks(x, y, total, n, target=target)
    np.testing.assert_array_equal(y, expected)
    assert blocks.check(x, np.zeros_like(x), total, n).ok


def test_a_step_counts_ranks():
    """A loop over ranks by a step that an argument gives."""
    import tilewire.language.distributed as pld

    program = pl.parse('''
import tilewire.language as pl
import tilewire.language.distributed as pld

@pl.jit.incore
def fill(w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    w = pl.store(pl.full([1, 8], dtype=pl.FP32, value=3.0), [0, 0], w)
    y = pl.store(pl.load(w), [0, 0], y)

@pl.jit.host
def host(y: pl.InOut[pl.Tensor[[4, 1, 8], pl.FP32]], by: pl.Scalar[pl.INDEX]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    for r in pl.range(0, 4, by):
        fill(w, y[r], device=r)
''')
    for by, filled in [(1, 4), (2, 2), (3, 2)]:
        for target in ["cpu", "interp"]:
            y = np.zeros((4, 1, 8), np.float32)
            program.compile(target=target)(y, by, ranks=4)
            assert [float(row[0, 0]) for row in y] == [3.0 if r % by == 0 else 0.0 for r in range(4)]
            assert filled == sum(r % by == 0 for r in range(4))
