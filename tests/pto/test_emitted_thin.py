"""Columns of every width of element, and products with few inner elements: emitted, executed, compared with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewire.language as pl
from execute_emitted import AVAILABLE, Emitted

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="this build does not emit for PTO")

PROGRAM = """import tilewire.language as pl


@pl.jit.incore
def kernel({parameters}):
{body}
    return y
"""
ELEMENTS = {"INT64": np.int64, "UINT64": np.uint64, "INT16": np.int16, "INT8": np.int8, "BOOL": np.bool_, "FP16": np.float16}


def run(level: str, parameters: str, body: list[str], *arguments: Any) -> None:
    text = PROGRAM.format(parameters=parameters, body="\n".join("    " + line for line in body))
    Emitted(pl.parse(text, "thin.py"), "", level)(*arguments)


@pytest.mark.parametrize("level", ["level2", "level3"])
@pytest.mark.parametrize("name", ELEMENTS)
def test_parts_of_columns(name: str, level: str) -> None:
    """Rows 5 to 17 of a column to rows 3 to 15 of another, then one column of wider tensors."""
    random = np.random.default_rng(1)
    x = random.integers(0, 2 if name == "BOOL" else 100, (24, 6)).astype(ELEMENTS[name])
    y = random.integers(0, 2 if name == "BOOL" else 100, (24, 6)).astype(ELEMENTS[name])
    column, wide = f"pl.Tensor[[24, 1], pl.{name}]", f"pl.Tensor[[24, 6], pl.{name}]"
    want = y.copy()
    want[3:15, :1] = x[5:17, :1]
    first = np.ascontiguousarray(y[:, :1])
    run(level, f"x: {column}, y: pl.InOut[{column}]", ["y = pl.store(pl.load(x, [5, 0], [12, 1]), [3, 0], y)"], np.ascontiguousarray(x[:, :1]), first)
    np.testing.assert_array_equal(first, want[:, :1])
    want = y.copy()
    want[2:14, 3:4] = x[5:17, 1:2]
    run(level, f"x: {wide}, y: pl.InOut[{wide}]", ["y = pl.store(pl.load(x, [5, 1], [12, 1]), [2, 3], y)"], x, y)
    np.testing.assert_array_equal(y, want)


@pytest.mark.parametrize("level", ["level2", "level3"])
@pytest.mark.parametrize("inner", [1, 4, 12, 24])
def test_few_inner_elements(inner: int, level: str) -> None:
    """The operands go through pipes, and so does the product."""
    random = np.random.default_rng(inner)
    a, b = random.standard_normal((16, inner), dtype=np.float32), random.standard_normal((inner, 16), dtype=np.float32)
    y = np.zeros((16, 16), np.float32)
    parameters = f"a: pl.Tensor[[16, {inner}], pl.FP32], b: pl.Tensor[[{inner}, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]"
    run(level, parameters, ["t = pl.matmul(pl.load(a) * 2.0, pl.load(b) * 2.0)", "y = pl.store(pl.exp(t * 0.01), [0, 0], y)"], a, b, y)
    np.testing.assert_allclose(y, np.exp(0.04 * (a.astype(float) @ b)), rtol=1e-4)
