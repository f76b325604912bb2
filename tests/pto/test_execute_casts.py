"""Conversions with every rounding mode, with and without saturation, against Python's own arithmetic."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from execute_cases import compute, data, random, typed
from execute_tiles import NUMPY

Array = Any
LEVELS = (2, 3)


def rounded_to_integer(value: float, mode: str) -> int:
    if mode in ("NONE", "RINT", "CAST_RINT"):
        return round(value)
    if mode == "ROUND":
        return math.floor(value + 0.5) if value > 0 else math.ceil(value - 0.5)
    if mode == "ODD":
        low, high = math.floor(value), math.ceil(value)
        return low if low % 2 or low == high else high
    return math.floor(value) if mode == "FLOOR" else math.ceil(value) if mode == "CEIL" else math.trunc(value)


@pytest.mark.parametrize("mode", ["NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD", "CAST_RINT"])
@pytest.mark.parametrize("pair", [("f32", "i32"), ("f32", "i16"), ("f16", "i16"), ("f16", "i8"), ("f32", "i64"), ("f16", "ui8")])
def test_float_to_integer(pair: tuple[str, str], mode: str) -> None:
    source, target = pair
    values = [0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.25, -0.75, 3.0, 100.5, -100.5, 7.999, -7.999, 64.5, 65.5]
    if target == "ui8":
        values = [abs(v) for v in values]
    a = np.array([values * 2], NUMPY[source])
    for level in LEVELS:
        scratch = (", %t", ", ${t}") if target in ("i16", "i8", "ui8") else ("", "")
        body = f"pto.tcvt ins(%a{scratch[0]} {{rmode = #pto<round_mode {mode}>}} : ${{a}}{scratch[1]}) outs(%d : ${{d}})"
        (got,) = compute(body, {"a": (f"vec, 1x32x{source}", a)}, {"d": f"vec, 1x32x{target}"}, {"t": "vec, 1x64xf32"}, level=level)
        assert got.ravel().tolist() == [rounded_to_integer(float(v), mode) for v in a.ravel()]


def test_saturation() -> None:
    a = np.array([[3e9, -3e9, np.inf, -np.inf, np.nan, 40000, -40000, 5.5]], np.float32)
    on = "pto.tcvt ins(%a {rmode = #pto<round_mode TRUNC>, sat_mode = #pto<saturation_mode ON>} : ${a}) outs(%d : ${d})"
    (got,) = compute(on, {"a": ("vec, 1x8xf32", a)}, {"d": "vec, 1x8xi32"})
    assert got.ravel().tolist() == [2**31 - 1, -(2**31), 2**31 - 1, -(2**31), 0, 40000, -40000, 5]
    wide = np.concatenate([a, a], 1)
    (got,) = compute(on, {"a": ("vec, 1x16xf32", wide)}, {"d": "vec, 1x16xi16"})
    assert got.ravel().tolist() == [32767, -32768, 32767, -32768, 0, 32767, -32768, 5] * 2
    (got,) = compute(on, {"a": ("vec, 1x16xi32", np.array([[70000, -70000] * 8]))}, {"d": "vec, 1x16xi16"})
    assert got.ravel().tolist() == [32767, -32768] * 8
    off = on.replace(", sat_mode = #pto<saturation_mode ON>", "")
    (got,) = compute(off, {"a": ("vec, 1x16xi32", np.array([[70000, -70000] * 8]))}, {"d": "vec, 1x16xi16"})
    assert got.ravel().tolist() == [70000 - 65536, -70000 + 65536] * 8
    (got,) = compute(off, {"a": ("vec, 1x8xf32", a)}, {"d": "vec, 1x8xi32"})
    # What i32 cannot hold gives no number that a program could rely on.
    assert got.ravel().tolist()[:5] == [-1414812757] * 5 and got.ravel().tolist()[5:] == [40000, -40000, 5]


def neighbours(value: float, dtype: Any) -> tuple[float, float]:
    """The numbers of a type just below and above, from the table of all of them."""
    with np.errstate(invalid="ignore"):
        every = np.unique(np.arange(1 << 16, dtype=np.uint16).view(dtype).astype(np.float64))
    every = every[np.isfinite(every)]
    at = np.searchsorted(every, value)
    if at < len(every) and every[at] == value:
        return value, value
    return every[at - 1], every[at]


@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("mode", ["RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD"])
def test_float_to_narrower_float(element: str, mode: str) -> None:
    dtype = NUMPY[element]
    a = (random.standard_normal((1, 64)) * 10.0 ** random.integers(-3, 4, (1, 64))).astype(np.float32)
    a[0, :6] = [1.0, 1.00048828125, 1.00146484375, -1.00048828125, 1.00390625, -1.01171875]  # ties among them
    body = f"pto.tcvt ins(%a {{rmode = #pto<round_mode {mode}>}} : ${{a}}) outs(%d : ${{d}})"
    (got,) = compute(body, {"a": ("vec, 1x64xf32", a)}, {"d": f"vec, 1x64x{element}"})
    for value, result in zip(a.ravel().astype(np.float64), got.ravel()):
        low, high = neighbours(value, dtype)
        odd = {low: int(np.array(low, dtype).view(np.uint16)) & 1, high: int(np.array(high, dtype).view(np.uint16)) & 1}
        if low == high:
            want = low
        elif mode in ("FLOOR", "CEIL"):
            want = low if mode == "FLOOR" else high
        elif mode == "TRUNC":
            want = low if value > 0 else high
        elif mode == "ODD":
            want = low if odd[low] else high
        elif value - low != high - value:
            want = low if value - low < high - value else high
        elif mode == "RINT":
            want = high if odd[low] else low
        else:
            want = high if value > 0 else low
        assert float(result) == want, (value, mode)


def test_casts_that_lose_nothing_or_overflow() -> None:
    for source, target in (("f16", "f32"), ("bf16", "f32"), ("i16", "f32"), ("i8", "f16"), ("i32", "i64"), ("ui8", "f16")):
        a = data(source, (4, 64))
        (got,) = compute("pto.tcvt ins(%a {rmode = #pto<round_mode NONE>} : ${a}) outs(%d : ${d})", {"a": (typed("4x64", source), a)},
                         {"d": typed("4x64", target)})
        np.testing.assert_array_equal(got.astype(np.float64), a.astype(np.float64))
    big = np.array([[65504, 65519.99, 65520, 1e9, -1e9, 1, 0, -0.0]], np.float32)
    body = "pto.tcvt ins(%a {rmode = #pto<round_mode RINT>SAT} : ${a}) outs(%d : ${d})"
    (got,) = compute(body.replace("SAT", ""), {"a": ("vec, 1x16xf32, valid=1x8", big)}, {"d": "vec, 1x16xf16, valid=1x8"})
    assert got.ravel().tolist() == [65504, 65504, np.inf, np.inf, -np.inf, 1, 0, 0]
    (got,) = compute(body.replace("SAT", ", sat_mode = #pto<saturation_mode ON>"), {"a": ("vec, 1x16xf32, valid=1x8", big)},
                     {"d": "vec, 1x16xf16, valid=1x8"})
    assert got.ravel().tolist() == [65504, 65504, 65504, 65504, -65504, 1, 0, 0]
    numbers = np.array([[2**24 + 1, 2**24 + 3, -(2**24) - 1, 2**31 - 1, 16777219, 5, 0, -7]], np.int32)
    (got,) = compute(body.replace("SAT", ""), {"a": ("vec, 1x8xi32", numbers)}, {"d": "vec, 1x8xf32"})
    assert got.ravel().tolist() == [float(np.float32(v)) for v in numbers.ravel().tolist()]
