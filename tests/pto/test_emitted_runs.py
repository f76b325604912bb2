"""Programs emitted for PTO, at both levels, executed under several seeds, compared with NumPy.

A seed chooses the order of cores and ranks and when stores and notifies land: all at once, stores as late as they may,
all as late as it may, at random, loads as late as they may.
"""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import emitted_kernels as k
from execute_emitted import AVAILABLE, InPlaceOfTargets

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="this build does not emit for PTO")

Array = Any
BF16 = ml_dtypes.bfloat16
SEEDS = range(10)


@pytest.fixture(params=["level2", "level3"])
def pto(request: Any, monkeypatch: Any) -> None:
    """Calls of programs run what is emitted for PTO."""
    InPlaceOfTargets(monkeypatch, request.param, 0)


def normal(seed: int, *shape: int, dtype: Any = np.float32) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("rows", [1, 16, 50])
def test_axpy(pto: None, rows: int) -> None:
    x, y = normal(1, rows, 64), normal(2, rows, 64)
    want = x * np.float32(1.5) + y
    k.axpy(1.5, x, y)
    np.testing.assert_array_equal(y, want)


@pytest.mark.parametrize("rows, cols", [(16, 32), (1, 1), (37, 70), (5, 100)])
def test_ragged_tiles(pto: None, rows: int, cols: int) -> None:
    x = normal(1, rows, cols)
    np.testing.assert_allclose(k.blend(x), np.maximum(x, 0) - np.exp(np.minimum(x, 0)), rtol=1e-6, atol=1e-6)


def test_softmax(pto: None) -> None:
    x = normal(1, 24, 96) * np.float32(4)
    e = np.exp(x.astype(float) - x.max(1, keepdims=True))
    np.testing.assert_allclose(k.softmax(x), e / e.sum(1, keepdims=True), rtol=1e-5)


def test_layer_norm(pto: None) -> None:
    x, gamma, beta = normal(1, 20, 128, dtype=BF16), normal(2, 128), normal(3, 128)
    wide = x.astype(float)
    centred = wide - wide.mean(1, keepdims=True)
    want = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * gamma + beta
    np.testing.assert_allclose(k.layer_norm(x, gamma, beta).astype(float), want, rtol=1e-2, atol=1e-2)


def test_casts(pto: None) -> None:
    x = normal(1, 16, 64) * np.float32(40)
    x[0, :8] = [0.5, 1.5, 2.5, -0.5, -1.5, 3e9, -3e9, 1e5]
    x[1, :6] = [127.4, 128.0, -129.0, 32768.5, -40000.0, 65519.0]
    i, h, b, s, c, back = k.casts(x)

    def whole(bits: int) -> Array:
        limit = 2.0 ** (bits - 1)
        return np.clip(np.rint(x.astype(float)), -limit, limit - 1).astype(f"i{bits // 8}")

    np.testing.assert_array_equal(i, whole(32))
    np.testing.assert_array_equal(s, whole(16))
    np.testing.assert_array_equal(c, whole(8))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(h, x.astype(np.float16))
    np.testing.assert_array_equal(b.astype(np.float32), x.astype(BF16).astype(np.float32))
    np.testing.assert_array_equal(back, i.astype(np.float32))


def test_integers(pto: None) -> None:
    random = np.random.default_rng(1)
    a, b = (random.integers(-1000, 1000, (8, 32)).astype(np.int32) for _ in range(2))
    b[0, :4], a[1, :4] = 0, [-7, 7, -8, 8]
    b[1, :4] = [2, -2, 3, -3]
    a[2, :3], b[2, :3] = [-(2**31), -(2**31), 5], [-(2**31), 7, -(2**31)]
    quotient, rest, bits, shifted = k.integers(a, b)
    safe = np.where(b == 0, 1, b)
    np.testing.assert_array_equal(quotient, np.where(b == 0, 0, np.trunc(a / safe)).astype(np.int32))
    np.testing.assert_array_equal(rest, np.where(b == 0, 0, np.fmod(a, safe)).astype(np.int32))
    np.testing.assert_array_equal(bits, ((a & b) | 12) ^ ~b)
    np.testing.assert_array_equal(shifted, (a << 3) >> 2)


def test_elements_that_few_ops_have(pto: None) -> None:
    random = np.random.default_rng(1)
    x, i = random.integers(0, 256, (8, 32)).astype(np.uint8), random.integers(-2, 3, (8, 32)).astype(np.int64) << 40
    y, counts, flags = k.odd_elements(x, i)
    np.testing.assert_array_equal(y, x * x[0, 0])
    np.testing.assert_array_equal(counts, np.tile(np.arange(3, 11)[:, None], (1, 32)))
    np.testing.assert_array_equal(flags, i != 0)


def test_choose(pto: None) -> None:
    x, z = normal(1, 16, 40), normal(2, 16, 40).round(1)
    z[:, 5] = 0
    np.testing.assert_array_equal(k.choose(x, z), np.where(((x > -1) & (x <= z)) | (z == 0), x, z * 2))


def test_reductions(pto: None) -> None:
    x = normal(1, 16, 48).round(2)
    rows, cols, at, lowest = k.reductions(x)
    np.testing.assert_allclose(rows, x.sum(1, keepdims=True) * 0.5 + x.max(1, keepdims=True), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(cols, x.sum(0, keepdims=True), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(at, x.argmax(1)[:, None])
    np.testing.assert_array_equal(lowest, x.min(0, keepdims=True))


def test_columns(pto: None) -> None:
    x = normal(1, 12, 64)
    low, high = x.min(1, keepdims=True), x.max(1, keepdims=True)
    np.testing.assert_allclose(k.columns(x), (x - low) / (np.sqrt(high - low) + 1), rtol=1e-6)


def test_activations(pto: None) -> None:
    x = normal(1, 16, 32) * np.float32(3)
    a, b, c, d = k.activations(x)
    wide = x.astype(float)
    np.testing.assert_allclose(a, 1 / (1 + np.exp(-wide)), rtol=1e-5)
    np.testing.assert_allclose(b, np.tanh(wide), rtol=1e-4, atol=1e-6)
    gelu = np.array([v * 0.5 * (1 + math.erf(v / math.sqrt(2))) for v in wide.ravel()]).reshape(x.shape)
    tanh_form = wide * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3)))
    assert np.allclose(c, gelu, atol=2e-5) or np.allclose(c, tanh_form, atol=2e-5)
    np.testing.assert_allclose(d, np.sin(wide) + np.cos(wide), atol=2e-6)


def test_shapes(pto: None) -> None:
    x = normal(1, 16, 32)
    turned, wide, flat, sums = k.shapes(x)
    np.testing.assert_array_equal(turned, x.T)
    np.testing.assert_array_equal(wide, np.hstack([x, x * 2]))
    np.testing.assert_array_equal(flat, x.reshape(8, 64))
    np.testing.assert_allclose(sums, np.cumsum(x, 0), rtol=1e-5, atol=1e-5)


def test_along_an_axis(pto: None) -> None:
    x, index = normal(1, 8, 64), np.random.default_rng(2).integers(0, 64, (8, 64)).astype(np.int32)
    picked, numbers = k.along(x, index)
    np.testing.assert_array_equal(picked, np.take_along_axis(x, index, 1))
    np.testing.assert_array_equal(numbers, np.tile(np.arange(5, 69, dtype=np.int32), (8, 1)))


def test_sort(pto: None) -> None:
    x = normal(1, 4, 128).round(1)
    values, at = k.sort_rows(x)
    order = np.argsort(-x, axis=1, kind="stable")
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, 1))
    np.testing.assert_array_equal(np.take_along_axis(x, at, 1), values)
    assert all(sorted(row) == list(range(128)) for row in at.tolist())


@pytest.mark.parametrize("n", [0, 1, 6, 27])
def test_carries(pto: None, n: int) -> None:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    x, y, z = 1, 2, 3
    for _ in range(n):
        x, y, z = z, x, y
    left, rounds = n, 0
    while left > 1:
        left = left // 2 if left % 2 == 0 else 3 * left + 1
        rounds += 1
    p, q = 7, n
    while q < 100:
        p, q = q, p + q
    assert k.carries(n).tolist() == [a, b, x, y, z, rounds, p, -n // 4 * 100 + -n % 4]


def test_elements_and_tiles_of_one_tensor(pto: None) -> None:
    for seed in SEEDS:
        x = normal(1, 4, 32)
        want = x.copy()
        want[1, 3] = want[0, 0] * np.float32(2)
        y = k.mixed_access(x, seed=seed)
        np.testing.assert_array_equal(x, want + 1)
        np.testing.assert_array_equal(y, want * (want[0, 0] + np.float32(1)))


def test_product(pto: None) -> None:
    a, b = normal(1, 32, 96, dtype=np.float16), normal(2, 96, 64, dtype=np.float16)
    np.testing.assert_allclose(k.product(a, b), a.astype(float) @ b.astype(float), rtol=1e-4, atol=1e-4)


def test_product_of_transposes(pto: None) -> None:
    a, b = normal(1, 64, 32, dtype=BF16), normal(2, 48, 64, dtype=BF16)
    np.testing.assert_allclose(k.transposed_product(a, b), a.astype(float).T @ b.astype(float).T, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("blocks", [1, 3])
def test_products_and_softmax_in_blocks(pto: None, blocks: int) -> None:
    q, keys = normal(1, blocks, 32, 64, dtype=np.float16) / np.float16(8), normal(2, 64, 64, dtype=np.float16)
    s = q.astype(float) @ keys.astype(float).T
    e = np.exp(s - s.max(2, keepdims=True))
    for seed in SEEDS:
        np.testing.assert_allclose(k.scores(q, keys, seed=seed), e / e.sum(2, keepdims=True), rtol=1e-4)


def test_columns_across_rows(pto: None) -> None:
    x, b = normal(1, 16, 24), normal(2, 16, 5, dtype=BF16)
    numbers = np.arange(48, dtype=np.int64).reshape(16, 3)
    flags = np.zeros((16, 5), bool)
    want = (b[:, 3:4].astype(np.float32) + numbers[:, 1:2]).astype(np.float32)
    high = x.max(1)
    y = np.zeros((16, 1), np.float32)
    k.across(x, b, flags, numbers, y)
    np.testing.assert_array_equal(flags[:, 2], high > 2)
    assert not flags[:, [0, 1, 3, 4]].any()
    np.testing.assert_array_equal(numbers[:, 0], np.rint(high * np.float32(8)).astype(np.int64))
    np.testing.assert_array_equal(numbers[:, 1:], np.arange(48).reshape(16, 3)[:, 1:])
    np.testing.assert_allclose(y, want, rtol=1e-6)


@pytest.mark.parametrize("n", [1, 5])
def test_one_extent(pto: None, n: int) -> None:
    x, z = normal(1, 21, 46), normal(2, 21, 46)
    z[:, ::3] = x[:, ::3]
    want = np.zeros_like(x)
    want[:, :31] = np.where(z == x, x, z)[:, :31]
    if n > 2:
        want[:, :31] += np.minimum(want[:, :31], 2)
    y = np.zeros_like(x)
    k.one_extent(x, z, 31, n, y)
    np.testing.assert_array_equal(y, want)


def test_atomic_sums_of_blocks(pto: None) -> None:
    x = np.random.default_rng(1).integers(-9, 9, (6, 32)).astype(np.float32)
    for seed in SEEDS:
        y = np.ones((1, 32), np.float32)
        k.add_up(x, y, seed=seed)
        np.testing.assert_array_equal(y, 1 + x.sum(0, keepdims=True))


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_mesh(pto: None, ranks: int) -> None:
    for seed in SEEDS:
        x = normal(seed, ranks, 64)
        want = np.zeros(64, np.float32)
        for row in x:
            want += row
        np.testing.assert_array_equal(k.mesh_sum(x, ranks=ranks, seed=seed), np.tile(want, (ranks, 1)))


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_allreduce_twice(pto: None, ranks: int) -> None:
    for seed in SEEDS:
        x = normal(seed, ranks, 8, 64)
        want = np.zeros((8, 64), np.float32)
        for one in x:
            want += one
        twice = np.zeros((8, 64), np.float32)
        for _ in range(ranks):
            twice += want
        np.testing.assert_allclose(k.allreduce_twice(x, ranks=ranks, seed=seed), np.tile(twice, (ranks, 1, 1)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_ring(pto: None, ranks: int) -> None:
    x = normal(1, ranks, 4, 64)
    for seed in SEEDS:
        np.testing.assert_array_equal(k.ring_shift(x, ranks=ranks, seed=seed), np.roll(x, 1, 0))
