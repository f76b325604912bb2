"""Calls in the form of an earlier one take a shorter way; what they check and give is the same."""

import sys
import threading

import ml_dtypes
import numpy as np
import pytest
import tilewire
import tilewire.language as pl

N = pl.dynamic("N")


@pl.jit.incore
def add(
    x: pl.Tensor[[N, 8], pl.FP32],
    s: pl.Scalar[pl.FP32],
    y: pl.Out[pl.Tensor[[N, 8], pl.FP32]],
):
    n = pl.dim(x, 0)
    for i in pl.range(n):
        y = pl.store(pl.load(x, [i, 0], [1, 8]) + s, [i, 0], y)
    return y


@pl.jit.incore
def shifted(x: pl.InOut[pl.Tensor[[4, 8], pl.FP32]], y: pl.InOut[pl.Tensor[[4, 8], pl.FP32]]):
    t = pl.load(x)
    x = pl.store(t + 1.0, [0, 0], x)
    y = pl.store(pl.load(y) + t, [0, 0], y)


@pl.jit.incore
def count(n: pl.Scalar[pl.INT32], flag: pl.Scalar[pl.BOOL], y: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):
    k = n
    if flag:
        k = n + 1
    y = pl.store(pl.full([1, 8], dtype=pl.INT32, value=k), [0, 0], y)


@pl.jit
def made(x: pl.Tensor[[4, 8], pl.FP32]):
    y = pl.create_tensor([4, 8], dtype=pl.FP32)
    y = add(x, 1.0, y)
    return y, pl.dim(x, 0)


def zeros(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


@pytest.fixture(params=["compiled", "bundle"])
def warm(request, tmp_path):
    """An executable that has been called with a [4, 8] array."""
    exe = add.compile()
    if request.param == "bundle":
        exe.save(tmp_path / "bundle")
        exe = tilewire.load_bundle(tmp_path / "bundle")
    y = zeros(4, 8)
    for _ in range(2):
        assert exe(zeros(4, 8), 1.0, y) is y and (y == 1).all()
    return exe


def refused(call):
    with pytest.raises(tilewire.RunError) as caught:
        call()
    return str(caught.value).splitlines()[0]


def test_arguments_are_checked_every_time(warm):
    x, y = zeros(4, 8), zeros(4, 8)
    locked = zeros(4, 8)
    locked.setflags(write=False)
    assert refused(lambda: warm(x, 1.0, locked)).startswith("error[TW2209]")
    assert refused(lambda: warm(x, 1.0, zeros(4, 8, dtype=np.float64))).startswith("error[TW2205]")
    assert refused(lambda: warm(zeros(4, 8, dtype=np.int32), 1.0, y)).startswith("error[TW2205]")
    assert refused(lambda: warm(x.astype(">f4"), 1.0, y)).startswith("error[TW2205]")
    assert refused(lambda: warm(x, 1.0, zeros(4, 9))).startswith("error[TW2207]")
    assert refused(lambda: warm(x, 1.0, zeros(32))).startswith("error[TW2206]")
    assert refused(lambda: warm(zeros(5, 8), 1.0, y)).startswith("error[TW2208]")
    assert refused(lambda: warm(x, True, y)).startswith("error[TW2211]")
    assert refused(lambda: warm(x, 1.0, y, y)).startswith("error[TW2201]")
    assert refused(lambda: warm(x, x, y)).startswith("error[TW2204]")
    assert (warm(x, 3, y) == 3).all()


def test_shapes_and_strides_may_change(warm):
    for n in (1, 7, 4, 0, 300):
        x, y = np.full((n, 8), 2, np.float32), zeros(n, 8)
        assert warm(x, 0.5, y) is y and (y == 2.5).all()
    for _ in range(2):
        x, y = np.arange(64, dtype=np.float32).reshape(8, 8), zeros(8, 8)
        assert np.array_equal(warm(x.T, 0.0, y), x.T)
        assert np.array_equal(warm(x[::-1], 0.0, y), x[::-1])
        wide = zeros(8, 16)
        warm(x, 1.0, wide[:, ::2])
        assert np.array_equal(wide[:, ::2], x + 1) and not wide[:, 1::2].any()


def test_more_forms_than_are_kept(warm):
    for _ in range(2):
        for n in range(1, 20):
            assert (warm(zeros(n, 8), n, zeros(n, 8)) == n).all()


def test_overlapping_arrays_are_refused_and_equal_ones_are_not():
    exe = shifted.compile()
    memory = zeros(8, 8)
    for _ in range(2):
        exe(memory[:4], memory[4:])
    assert refused(lambda: exe(memory[:4], memory[3:7])).startswith("error[TW2212]")
    assert refused(lambda: exe(memory[4:], memory[1:5])).startswith("error[TW2212]")
    one = zeros(4, 8)
    exe(one, one)
    first = one.copy()
    exe(one, one)
    assert not np.array_equal(one, first)


def test_other_arrays_and_keywords(warm):
    x, y = zeros(4, 8), zeros(4, 8)
    assert (warm(x, s=2.0, y=y) == 2).all()
    warm(memoryview(x), 3.0, y)
    assert (y == 3).all()

    class Sub(np.ndarray):
        pass

    warm(x.view(Sub), np.float32(4), y)
    assert (y == 4).all()
    assert (warm(x, 5.0) == 5).all()
    assert refused(lambda: warm(x.astype(ml_dtypes.bfloat16), 1.0, y)).startswith("error[TW2205]")


def test_scalars_change_from_call_to_call():
    exe = count.compile()
    y = zeros(1, 8, dtype=np.int32)
    for n in (3, -7, 2**31 - 1, 3):
        exe(n, False, y)
        assert (y == n).all()
    exe(3, True, y)
    assert (y == 4).all()
    assert refused(lambda: exe(2**31, True, y)).startswith("error[TW2211]")
    assert refused(lambda: exe(3, 1, y)).startswith("error[TW2211]")
    assert refused(lambda: exe(1.5, True, y)).startswith("error[TW2211]")


def test_created_results_live_on():
    exe = made.compile()
    kept = [exe(np.full((4, 8), i, np.float32)) for i in range(50)]
    for i, (y, n) in enumerate(kept):
        assert (y == i + 1).all() and n == 4


def test_results_do_not_keep_arguments_longer_than_before(warm):
    x, y = zeros(4, 8), zeros(4, 8)
    before = sys.getrefcount(x), sys.getrefcount(y)
    for _ in range(10):
        warm(x, 1.0, y)
    assert (sys.getrefcount(x), sys.getrefcount(y)) == before


def test_calls_from_many_threads(warm):
    failed = []

    def work(number):
        x, y = np.full((number + 1, 8), number, np.float32), zeros(number + 1, 8)
        for i in range(200):
            if not (warm(x, i, y) == number + i).all():
                failed.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
