"""Programs of the language tests that only show their form there, emitted for PTO, executed and compared with NumPy."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import tilewire.language as pl
from execute import run
from execute_emitted import AVAILABLE, Emitted, emit

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="this build does not emit for PTO")

PROGRAMS = pathlib.Path(__file__).parents[1] / "lang" / "programs"
LEVELS = ("level2", "level3")


def emitted(name: str, level: str) -> Any:
    return Emitted(pl.load_program(str(PROGRAMS / f"{name}.py")), "", level)


@pytest.mark.parametrize("level", LEVELS)
def test_paged_attention(level: str) -> None:
    random = np.random.default_rng(1)
    batch, page, head = 3, 32, 128
    lengths = np.array([1, 77, 512], np.int32)
    query = (random.standard_normal((batch, head)) / 8).astype(np.float32)
    keys, values = random.standard_normal((2, 48, page, head), dtype=np.float32)
    table = random.permutation(48).reshape(batch, 16).astype(np.int32)
    program = emitted("paged_attention", level)
    for seed in range(3):
        out = np.zeros_like(query)
        program(query, keys, values, table, lengths, out, seed=seed)
        for b, length in enumerate(lengths):
            k, v = (pages[table[b]].reshape(-1, head)[:length].astype(float) for pages in (keys, values))
            weights = np.exp(k @ query[b] - (k @ query[b]).max())
            np.testing.assert_allclose(out[b], weights @ v / weights.sum(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("level", LEVELS)
def test_layouts(level: str, tmp_path: pathlib.Path) -> None:
    """Arrays of entries have no gaps, so the kernels are run by themselves."""
    emit(PROGRAMS / "layouts_and_views.py", tmp_path, level)
    a = np.random.default_rng(1).standard_normal((32, 64)).astype(np.float16)  # the columns of the tensor
    b = np.zeros((64, 32), np.float16)
    run((tmp_path / "column_major.pto").read_text(), "column_major", [a, b])
    np.testing.assert_array_equal(b, a.T)
    x = np.random.default_rng(2).standard_normal((24, 64)).astype(np.float32)
    y = np.zeros((32, 24), np.float32)
    run((tmp_path / "strided.pto").read_text(), "strided", [x, y, 24])
    np.testing.assert_array_equal(y, x[:, :32].T)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("b, s", [(2, 8), (3, 16), (16, 4)])
def test_dimensions_that_no_argument_says(level: str, b: int, s: int) -> None:
    """`copy_rows` copies blocks of 8 rows up to a number of rows."""
    x = np.random.default_rng(1).standard_normal((b * s, 64)).astype(np.float32)
    y = np.zeros_like(x)
    w = np.zeros(3, np.float32)
    emitted("dynamic_shapes", level)(x, w, y, b, s)
    want = np.zeros_like(x)
    scratch = np.zeros_like(x)
    for source, target, rows in ((x, want, b * s), (x, want, 7), (want, scratch, s // 2), (scratch, want, b * s - s)):
        for r in range(0, rows, 8):
            target[r : r + 8] = source[r : r + 8]
    rows = -(-(b * s - s) // 8) * 8
    written = -(-(s // 2) // 8) * 8
    np.testing.assert_array_equal(y[: min(rows, written)], want[: min(rows, written)])
    np.testing.assert_array_equal(y[rows:], want[rows:])
