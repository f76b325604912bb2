"""Sums that may hold nothing, memory of kernels, ragged shapes: emitted at both levels, executed, compared with NumPy."""

from __future__ import annotations

import pathlib
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import emitted_sums as k
import tilewire.language as pl
from execute_emitted import AVAILABLE, Emitted, InPlaceOfTargets

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="this build does not emit for PTO")

PROGRAMS = pathlib.Path(__file__).parents[1] / "lang" / "programs"


@pytest.fixture(params=["level2", "level3"])
def pto(request: Any, monkeypatch: Any) -> str:
    """Calls of programs run what is emitted for PTO."""
    InPlaceOfTargets(monkeypatch, request.param, 0)
    return str(request.param)


def normal(seed: int, *shape: int, dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("n, m", [(0, 0), (2, 0), (0, 3), (2, 3)])
def test_two_loops(pto: str, n: int, m: int) -> None:
    a, b = normal(1, 32, 64), normal(2, 64, 32)
    y = np.full((32, 32), 7, np.float32)
    k.two_loops(a, b, n, m, y)
    want = a[:, : 16 * n].astype(float) @ b[: 16 * n] + a[:, : 16 * m].astype(float) @ b[: 16 * m]
    np.testing.assert_allclose(y, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("n", [0, 1])
def test_one_branch(pto: str, n: int) -> None:
    a, b = normal(1, 32, 16, dtype=np.float16), normal(2, 16, 32, dtype=np.float16)
    y = np.full((2, 32, 32), 7, np.float32)
    k.one_branch(a, b, n, y)
    product = a.astype(float) @ b.astype(float)
    np.testing.assert_allclose(y[0], product if n else 0 * product, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(y[1], product if n else product.T, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("mask", [(0, 0, 0, 0), (0, 1, 0, 2), (1, 1, 1, 1), (0, 0, 2, 0)])
def test_some_rounds(pto: str, mask: tuple[int, ...]) -> None:
    a, b = normal(1, 32, 64), normal(2, 64, 32)
    y = np.full((40, 48), 7, np.float32)
    k.some_rounds(a, b, np.array(mask, np.int32), y)
    want = np.full((40, 48), 7.0)
    want[8:, 8:40] = sum((times * (a[:, 16 * i : 16 * i + 16].astype(float) @ b[16 * i : 16 * i + 16]) for i, times in enumerate(mask)), np.zeros((32, 32)))
    np.testing.assert_allclose(y, want, rtol=1e-4, atol=1e-4)


def test_bias_that_is_computed(pto: str) -> None:
    x, w, bias = normal(1, 16, 32), normal(2, 32, 64), normal(3, 64)
    want = np.maximum(x.astype(float) @ w + 2 * bias, 0)
    np.testing.assert_allclose(k.biased(x, w, bias), want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_products_onto_others(pto: str, n: int) -> None:
    x, w = normal(1, 32, 32), normal(2, 32, 32)
    product = x.astype(float) @ w
    half = sum(0.5**i for i in range(1, n + 1))
    want = np.stack([x + n * product, np.maximum(np.exp(x) + product, 0), half * product])
    np.testing.assert_allclose(k.onto_others(x, w, n), want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_powers(pto: str, n: int) -> None:
    x, w = normal(1, 32, 32), normal(2, 32, 32) / np.float32(6)
    want = np.exp(x).astype(float) @ np.linalg.matrix_power(w.astype(float), n) * 2
    np.testing.assert_allclose(k.powers(x, w, n), want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("blocks", [1, 3])
def test_memory_of_blocks(pto: str, blocks: int) -> None:
    x = normal(1, 16 * blocks, 64)
    want = x.reshape(blocks, 2, 8, 64)[:, ::-1].reshape(-1, 64) * 2
    np.testing.assert_array_equal(k.in_blocks(x), want)


@pytest.mark.parametrize("rows", [1, 5])
def test_memory_of_a_size_that_run_time_knows(pto: str, rows: int) -> None:
    x = normal(1, rows, 32)
    np.testing.assert_array_equal(k.of_the_shape(x), x[::-1])


@pytest.mark.parametrize("rows, cols", [(16, 32), (6, 32), (0, 32), (1, 8), (1, 3), (1, 0)])
def test_reshape_of_a_beginning(pto: str, rows: int, cols: int) -> None:
    x = normal(1, 16, 32)
    y, z = np.full((8, 64), 7, np.float32), np.full((64, 8), 7, np.float32)
    k.first_elements(x, rows, cols, y, z)
    count = rows * 32 if cols == 32 else cols * min(rows, 1)
    want = np.full(512, 7, np.float32)
    want[:count] = x.reshape(-1)[:count]
    np.testing.assert_array_equal(z, want.reshape(64, 8))
    want[:count] += 1
    np.testing.assert_array_equal(y, want.reshape(8, 64))


@pytest.mark.parametrize("rows", [16, 5])
def test_gather(pto: str, rows: int) -> None:
    random = np.random.default_rng(1)
    x = normal(1, 16, 32, dtype=np.float16)
    i, j = random.integers(0, 32, (16, 16), dtype=np.int32), random.integers(0, 16, (8, 32), dtype=np.int64)
    a = np.full((16, 16), 7, np.float16)
    b, c, d = np.zeros((8, 32), np.float16), np.zeros((8, 32), ml_dtypes.bfloat16), np.zeros((1, 16), np.float16)
    k.picked(x, i, j, rows, a, b, c, d)
    np.testing.assert_array_equal(a[:rows], np.take_along_axis(x, i, 1)[:rows])
    assert (a[rows:] == 7).all()
    np.testing.assert_array_equal(b, np.take_along_axis(x, j, 0))
    np.testing.assert_array_equal(c.astype(float), np.take_along_axis(x.astype(ml_dtypes.bfloat16), j, 0).astype(float))
    np.testing.assert_array_equal(d[0], x[3][i[0]])


@pytest.mark.parametrize("rows", [16, 5])
def test_cumsum_down(pto: str, rows: int) -> None:
    x, h = normal(1, 16, 32), normal(2, 16, 32, dtype=np.float16)
    n = np.random.default_rng(3).integers(0, 65536, (16, 32), dtype=np.uint16)
    y, z, s = np.full((16, 32), 7, np.float32), np.zeros((16, 32), np.float16), np.zeros((16, 32), np.uint16)
    k.added_up(x, h, n, rows, y, z, s)
    np.testing.assert_array_equal(y[:rows], np.cumsum(x, 0, dtype=np.float32)[:rows])
    assert (y[rows:] == 7).all()
    np.testing.assert_array_equal(z, np.cumsum(h, 0, dtype=np.float32).astype(np.float16))
    np.testing.assert_array_equal(s, np.cumsum(n, 0, dtype=np.uint16))


@pytest.mark.parametrize("cols", [0, 1])
def test_column_that_may_be_empty(pto: str, cols: int) -> None:
    x = normal(1, 16, 1)
    y = np.full((1, 1), 7, np.float32)
    k.thin(x, cols, y)
    assert y[0, 0] == (x.max() if cols else 7)


@pytest.mark.parametrize("level", ["level2", "level3"])
def test_products_on_tensors(level: str) -> None:
    """A kernel that makes tensors for products and reads them back."""
    a, b, bias = normal(1, 4, 32, 64, dtype=np.float16), normal(2, 4, 64, 32, dtype=np.float16), normal(3, 1, 32)
    c = np.zeros((4, 32, 32), np.float32)
    Emitted(pl.load_program(str(PROGRAMS / "gemm_variants.py")), "on_tensors", level)(a, b, bias, c)
    want = a.astype(float) @ b.astype(float)
    want[3] = want[0] + want[1] + want[2] + bias
    np.testing.assert_allclose(c, want, rtol=1e-4, atol=1e-4)
