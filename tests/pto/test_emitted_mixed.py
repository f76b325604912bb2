"""Mixed kernels emitted for PTO, at both levels, executed under several seeds, compared with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emitted_mixed as k
from execute_emitted import AVAILABLE, InPlaceOfTargets

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="this build does not emit for PTO")

Array = Any
SEEDS = range(10)


@pytest.fixture(params=["level2", "level3"])
def pto(request: Any, monkeypatch: Any) -> None:
    """Calls of programs run what is emitted for PTO."""
    InPlaceOfTargets(monkeypatch, request.param, 0)


def normal(seed: int, *shape: int, dtype: Any = np.float32) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("steps", [[32], [20, 9, 30], [25, 5, 32], []])
def test_extents_that_rounds_change(pto: None, steps: list[int]) -> None:
    x, w = normal(1, 32, 64), normal(2, 64, 32)
    total, least = np.ones((32, 64), np.float32), 32
    for rows in steps:
        total = total + x if rows > 7 else total * 2
        least = min(least, rows) if rows > 7 else least
    want = np.exp((total * np.float32(0.125)).astype(float) @ w.astype(float))
    for seed in SEEDS:
        y = np.zeros((32, 32), np.float32)
        k.running(x, w, np.array(steps, np.int32), y, seed=seed)
        np.testing.assert_allclose(y[:least], want[:least], rtol=1e-4)
        assert not y[least:].any()


def test_thin_tiles(pto: None) -> None:
    x, w, v = normal(1, 5, 24), normal(2, 24, 40), normal(3, 40, 1)
    row = (x * 2).astype(float) @ w.astype(float)
    for seed in SEEDS:
        y, z = k.thin(x, w, v, seed=seed)
        np.testing.assert_allclose(y, row + 1, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(z, row * 0.5 @ (v.astype(float) + 1) * 3, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("blocks", [1, 3])
def test_numbers_for_the_cube_half(pto: None, blocks: int) -> None:
    x, w = normal(1, 64 * blocks, 32, dtype=np.float16), normal(2, 32, 32, dtype=np.float16)
    counts = np.zeros((23, 8), np.int32)
    counts[:, 3] = np.random.default_rng(3).integers(0, 4, 23)
    want = np.zeros((64 * blocks, 32))
    for block in range(blocks):
        for twice in 2 * counts[:, 3]:
            for r in range(0, twice if twice > 2 else 0, 2):
                at = block * 64 + r * 8
                want[at : at + 16] += x[at : at + 16].astype(float) @ w.astype(float)
    for seed in SEEDS:
        y = np.zeros((64 * blocks, 32), np.float32)
        k.counted(x, w, counts, y, seed=seed)
        np.testing.assert_allclose(y, want, rtol=1e-4, atol=1e-3)


def test_products_of_products(pto: None) -> None:
    a, b, c = normal(1, 32, 48), normal(2, 48, 8), normal(3, 32, 8)
    ab = a.astype(float) @ b.astype(float)
    y, z = k.chain(a, b, c)
    np.testing.assert_allclose(y, ab @ c.T.astype(float), rtol=1e-4, atol=1e-4)
    half = c.T.astype(float) @ ab
    np.testing.assert_allclose(z[:, :8], half, rtol=2e-3, atol=2e-2)
    np.testing.assert_allclose(z[:, 8:16], 2 * half, rtol=2e-3, atol=2e-2)
    assert (z[:, 16:] == 1).all()


def test_slots_that_do_not_fit(pto: None) -> None:
    x, w = normal(1, 128, 128), normal(2, 128, 128)
    np.testing.assert_allclose(k.wide(x, w), 2 * (x.astype(float) @ w.astype(float)), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("rows", [32, 21])
def test_tiles_that_outlive_their_slot(pto: None, rows: int) -> None:
    x = normal(1, rows, 32)
    t = x.astype(float) / 2
    want = (np.exp(t @ t.T) - 1) @ t + t @ (t.T @ t)
    for seed in SEEDS:
        y = k.kept(x, seed=seed)
        np.testing.assert_allclose(y, want, rtol=1e-3, atol=1e-4 * float(np.abs(want).max()))


def test_operands_that_are_filled(pto: None) -> None:
    w = normal(1, 32, 24)
    y, z = k.filled(w)
    np.testing.assert_allclose(y, np.tile(w.astype(float).sum(0) / 2, (16, 1)), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(z, np.tile(np.arange(32) @ w.astype(float), (16, 1)), rtol=1e-4, atol=1e-3)


def test_inner_extents(pto: None) -> None:
    x, w = normal(1, 13, 20), normal(2, 20, 8)
    np.testing.assert_allclose(k.inner(x, w), (x.astype(float) + 1) @ w * 2, rtol=1e-4, atol=1e-4)
