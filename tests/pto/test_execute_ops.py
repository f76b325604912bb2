"""Each family of tile ops, at both levels and several extents, against NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from execute_cases import compute, data, extent, random, tile, typed
from execute_tiles import NUMPY
from scanner import Scanner

Array = Any
LEVELS = (2, 3)
TILES = ["16x64", "16x64x, valid=10x50", "1x64", "8x128x, valid=3x2"]


def ints(element: str, wide: Array) -> Array:
    """Wrapped to the element, one by one."""
    bits = int(element.lstrip("ui")) if element.startswith("ui") else int(element[1:])
    wrapped = np.array([int(v) % (1 << bits) for v in np.asarray(wide, object).ravel()], object)
    if not element.startswith("ui"):
        wrapped = np.array([v - (1 << bits) if v >> (bits - 1) else v for v in wrapped], object)
    return wrapped.reshape(np.shape(wide)).astype(NUMPY[element])


def exact(element: str, a: Array, b: Array, function: Any) -> Array:
    """One rounding: floats in double precision, integers without limit."""
    if element in ("f16", "bf16", "f32"):
        with np.errstate(over="ignore"):
            return function(a.astype(np.float64), b.astype(np.float64)).astype(NUMPY[element])
    return ints(element, function(a.astype(object), b.astype(object)))


ARITHMETIC: dict[str, Any] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "max": np.maximum, "min": np.minimum,
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("shape", TILES)
@pytest.mark.parametrize("element", ["i16", "i32", "ui16", "f16", "f32"])
def test_arithmetic(shape: str, element: str, level: int) -> None:
    type_ = typed(shape, element)
    a, b = (data(element, extent(type_), -30000, 30000) for _ in range(2))
    scalar = 7
    for name, function in ARITHMETIC.items():
        inputs = {"a": (type_, a), "b": (type_, b)}
        (got,) = compute(f"pto.t{name} ins(%a, %b : ${{a}}, ${{b}}) outs(%d : ${{d}})", inputs, {"d": type_}, level=level)
        np.testing.assert_array_equal(got, exact(element, a, b, function), name)
        signless = element.lstrip("u")
        (got,) = compute(f"pto.t{name}s ins(%a, %s : ${{a}}, {signless}) outs(%d : ${{d}})", {"a": (type_, a)}, {"d": type_},
                         scalars={"s": (signless, scalar)}, level=level)
        np.testing.assert_array_equal(got, exact(element, a, np.full_like(a, scalar), function), name)


@pytest.mark.parametrize("element", ["f16", "f32"])
def test_division(element: str) -> None:
    type_ = typed("16x64", element)
    a, b = data(element, (16, 64)), data(element, (16, 64))
    inputs = {"a": (type_, a), "b": (type_, b)}
    (got,) = compute("pto.tdiv ins(%a, %b : ${a}, ${b}) outs(%d : ${d})", inputs, {"d": type_})
    want = (a.astype(np.float64) / b.astype(np.float64)).astype(a.dtype)
    np.testing.assert_array_equal(got, want)
    (got,) = compute(f"pto.tdivs ins(%s, %b : {element}, ${{b}}) outs(%d : ${{d}})", {"b": (type_, b)}, {"d": type_},
                     scalars={"s": (element, 3.0)})
    np.testing.assert_array_equal(got, (3.0 / b.astype(np.float64)).astype(a.dtype))
    (got,) = compute(f"pto.tdivs ins(%a, %s : ${{a}}, {element}) outs(%d : ${{d}})", {"a": (type_, a)}, {"d": type_},
                     scalars={"s": (element, 3.0)})
    np.testing.assert_array_equal(got, (a.astype(np.float64) / 3.0).astype(a.dtype))


def test_integer_division_by_a_scalar_truncates() -> None:
    a = np.array([[7, -7, 0, 100, -100, 32767, -32768, 1] * 2], np.int16)
    for divisor in (3, -3, 1):
        (got,) = compute("pto.tdivs ins(%a, %s : ${a}, i16) outs(%d : ${d})", {"a": ("vec, 1x16xi16", a)}, {"d": "vec, 1x16xi16"},
                         scalars={"s": ("i16", divisor)})
        assert got.ravel().tolist() == [int(v / divisor) for v in a.ravel().tolist()]


@pytest.mark.parametrize("element", ["i16", "i32", "f16", "f32"])
def test_fmod(element: str) -> None:
    type_ = typed("16x64", element)
    a, b = data(element, (16, 64)), data(element, (16, 64))
    b = np.where(b == 0, 1, b).astype(a.dtype)
    (got,) = compute("pto.tfmod ins(%a, %b : ${a}, ${b}) outs(%d : ${d})", {"a": (type_, a), "b": (type_, b)}, {"d": type_})
    want = [math.fmod(float(x), float(y)) for x, y in zip(a.ravel(), b.ravel())]
    np.testing.assert_array_equal(got.ravel(), np.array(want).astype(a.dtype))


@pytest.mark.parametrize("element", ["i32", "f32"])
def test_rem_has_the_sign_of_the_divisor(element: str) -> None:
    type_ = typed("16x64", element)
    a, b = data(element, (16, 64)), data(element, (16, 64))
    b = np.where(b == 0, 1, b).astype(a.dtype)
    (got,) = compute("pto.trem ins(%a, %b, %t : ${a}, ${b}, ${t}) outs(%d : ${d})", {"a": (type_, a), "b": (type_, b)},
                     {"d": type_}, {"t": type_})
    exact_rest = [float(x) - math.floor(float(x) / float(y)) * float(y) for x, y in zip(a.ravel(), b.ravel())]
    np.testing.assert_allclose(got.ravel(), exact_rest, rtol=1e-5, atol=1e-5)


UNARY: dict[str, Any] = {
    "neg": (lambda a: -a, 0.0), "abs": (abs, 0.0), "sqrt": (np.sqrt, 0.0), "recip": (lambda a: 1 / a, 0.0),
    "exp": (np.exp, 1.0), "log": (np.log, 1.0), "rsqrt": (lambda a: a**-0.5, 1.0), "relu": (lambda a: np.maximum(a, 0), 0.0),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("element", ["f16", "f32"])
def test_unary(name: str, element: str, level: int) -> None:
    function, units = UNARY[name]
    for shape in TILES:
        type_ = typed(shape, element)
        a = data(element, extent(type_))
        if name in ("sqrt", "log", "rsqrt"):
            a = np.abs(a) + a.dtype.type(0.5)
        (got,) = compute(f"pto.t{name} ins(%a : ${{a}}) outs(%d : ${{d}})", {"a": (type_, a)}, {"d": type_}, level=level)
        want = function(a.astype(np.float64))
        np.testing.assert_allclose(got.astype(np.float64), want.astype(a.dtype).astype(np.float64), rtol=units * np.finfo(a.dtype).eps * 2)


def test_bits() -> None:
    for element in ("i8", "i16", "i32", "ui16"):
        type_ = typed("4x64", element)
        a, b = data(element, (4, 64)), data(element, (4, 64))
        for name, function in (("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor)):
            scratch = (", %t", ", ${t}") if name == "xor" else ("", "")
            (got,) = compute(f"pto.t{name} ins(%a, %b{scratch[0]} : ${{a}}, ${{b}}{scratch[1]}) outs(%d : ${{d}})",
                             {"a": (type_, a), "b": (type_, b)}, {"d": type_}, {"t": type_})
            np.testing.assert_array_equal(got, function(a, b))
    a = data("i16", (4, 64))
    (got,) = compute("pto.tnot ins(%a : ${a}) outs(%a : ${a})", {"a": (typed("4x64", "i16"), a)}, {"a": typed("4x64", "i16")})
    np.testing.assert_array_equal(got, -1 - a)
    for name, function in (("and", np.bitwise_and), ("or", np.bitwise_or)):
        (got,) = compute(f"pto.t{name}s ins(%a, %s : ${{a}}, i16) outs(%d : ${{d}})", {"a": (typed("4x64", "i16"), a)},
                         {"d": typed("4x64", "i16")}, scalars={"s": ("i16", 0x0FF0)})
        np.testing.assert_array_equal(got, function(a, np.int16(0x0FF0)))


def test_shifts_keep_the_sign_of_signed_elements() -> None:
    for element in ("i8", "i16", "i32", "ui8", "ui16", "ui32"):
        bits = int(element.lstrip("ui"))
        type_ = typed("1x64", element)
        a = ints(element, np.array([[int(v) for v in random.integers(-(2**31), 2**31, 64)]], object))
        by = (np.arange(64) % bits).astype(a.dtype)[None, :]
        for name in ("shl", "shr"):
            (got,) = compute(f"pto.t{name} ins(%a, %b : ${{a}}, ${{b}}) outs(%d : ${{d}})", {"a": (type_, a), "b": (type_, by)}, {"d": type_})
            wide = [int(x) << int(k) if name == "shl" else int(x) >> int(k) for x, k in zip(a.ravel(), by.ravel())]
            np.testing.assert_array_equal(got, ints(element, np.array([wide], object)))


@pytest.mark.parametrize("level", LEVELS)
def test_column_vectors(level: int) -> None:
    """The ops that take one directly, and the view as a row."""
    column = "vec, 16x1xf32, blayout=col_major, valid=13x1"
    a = data("f32", (13, 1))
    (got,) = compute("pto.tmuls ins(%a, %s : ${a}, f32) outs(%d : ${d})", {"a": (column, a)}, {"d": column}, scalars={"s": ("f32", 2.0)}, level=level)
    np.testing.assert_array_equal(got, a * 2)
    full = "vec, 16x1xf32, blayout=col_major"
    a = np.abs(data("f32", (16, 1))) + 1
    body = """%r = pto.treshape %a : ${a} -> ${row}
    pto.tsqrt ins(%r : ${row}) outs(%row : ${row})
    %d2 = pto.treshape %row : ${row} -> ${d}
    pto.tmov ins(%d2 : ${d}) outs(%d : ${d})"""
    (got,) = compute(body, {"a": (full, a)}, {"d": full}, {"row": "vec, 1x16xf32"}, level=level)
    np.testing.assert_array_equal(got, np.sqrt(a))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("shape", ["16x64", "16x64x, valid=10x50", "8x128x, valid=3x7"])
@pytest.mark.parametrize("element", ["i16", "i32", "f16", "f32"])
def test_reductions(shape: str, element: str, level: int) -> None:
    type_ = typed(shape, element)
    rows, cols = extent(type_)
    parsed: Any = Scanner(tile(type_)).type()
    scratch = {"t": f"vec, {parsed.rows}x{parsed.cols}x{element}"}
    a = data(element, (rows, cols), -3, 3)
    tall = 16 if element in ("i16", "f16") else parsed.rows
    column = f"vec, {max(tall, parsed.rows)}x1x{element}, blayout=col_major, valid={rows}x1"
    row = f"vec, 1x{parsed.cols}x{element}, valid=1x{cols}"
    wide = a.astype(np.float64)
    for name, function in (("sum", np.sum), ("prod", np.prod), ("max", np.max), ("min", np.min)):
        if name == "prod" and element[0] == "i":
            a, wide = np.sign(a), np.sign(wide)
        elif name == "prod":
            a = np.copysign(1 + 1 / (8 + np.abs(a)), a).astype(a.dtype)
            wide = a.astype(np.float64)
        (got,) = compute(f"pto.trow{name} ins(%a, %t : ${{a}}, ${{t}}) outs(%d : ${{d}})", {"a": (type_, a)}, {"d": column}, scratch, level=level)
        np.testing.assert_array_equal(got.ravel(), function(wide, axis=1).astype(a.dtype), name)
        (got,) = compute(f"pto.tcol{name} ins(%a : ${{a}}) outs(%d : ${{d}})", {"a": (type_, a)}, {"d": row}, level=level)
        np.testing.assert_array_equal(got.ravel(), function(wide, axis=0).astype(a.dtype), name)
    tall = max(8, parsed.rows)
    for name, choose in (("argmax", max), ("argmin", min)):
        number = f"vec, {tall}x1xi32, blayout=col_major, valid={rows}x1"
        (got,) = compute(f"pto.trow{name} ins(%a, %t : ${{a}}, ${{t}}) outs(%d : ${{d}})", {"a": (type_, a)}, {"d": number}, scratch, level=level)
        assert got.ravel().tolist() == [line.index(choose(line)) for line in a.tolist()]
        number = f"vec, 1x{parsed.cols}xi32, valid=1x{cols}"
        (got,) = compute(f"pto.tcol{name} ins(%a, %t : ${{a}}, ${{t}}) outs(%d : ${{d}})", {"a": (type_, a)}, {"d": number}, scratch, level=level)
        assert got.ravel().tolist() == [line.index(choose(line)) for line in a.T.tolist()]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("element", ["i16", "i32", "f16", "f32", "bf16"])
def test_expansions(element: str, level: int) -> None:
    type_, column = f"vec, 16x64x{element}, valid=9x33", f"vec, 16x1x{element}, blayout=col_major, valid=9x1"
    row = f"vec, 1x64x{element}, valid=1x33"
    a, c, r = data(element, (9, 33)), data(element, (9, 1)), data(element, (1, 33))
    operations: dict[str, Any] = {**ARITHMETIC, "div": lambda x, y: x / y, "expdif": lambda x, y: np.exp(x - y)}
    for name, function in operations.items():
        if element == "bf16" or (name in ("div", "expdif") and element[0] == "i"):
            continue
        for kind, vector, vector_type in (("row", c, column), ("col", r, row)):
            if (kind, name) == ("col", "expdif"):
                continue  # the dialect has no such op
            (got,) = compute(f"pto.t{kind}expand{name} ins(%a, %v : ${{a}}, ${{v}}) outs(%d : ${{d}})",
                             {"a": (type_, a), "v": (vector_type, vector)}, {"d": type_}, level=level)
            want = exact(element, a, np.broadcast_to(vector, a.shape), function)
            if name == "expdif":  # the difference is rounded, then its exponential
                with np.errstate(over="ignore"):
                    want = np.exp((a - vector).astype(np.float64)).astype(a.dtype)
                np.testing.assert_allclose(got.astype(float), want.astype(float), rtol=4 * np.finfo(a.dtype).eps)
            else:
                np.testing.assert_array_equal(got, want)
    for kind, vector, vector_type in (("row", c, column), ("col", r, row)):
        (got,) = compute(f"pto.t{kind}expand ins(%v : ${{v}}) outs(%d : ${{d}})", {"v": (vector_type, vector)}, {"d": type_}, level=level)
        np.testing.assert_array_equal(got, np.broadcast_to(vector, a.shape))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("shape", TILES)
def test_compare_and_select(shape: str, level: int) -> None:
    for element, modes in (("f32", "eq ne lt le gt ge"), ("i32", "lt ge"), ("f16", "le ne")):
        type_, mask = typed(shape, element), typed(shape, "i8")
        size = extent(type_)
        a, b = data(element, size, -3, 3), data(element, size, -3, 3)
        mixed: Array = np.where(random.random(size) < 0.3, a, b)
        b = mixed.astype(a.dtype)
        inputs = {"a": (type_, a), "b": (type_, b)}
        for mode in modes.split():
            want = np.where(getattr(np, {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
                                         "ge": "greater_equal"}[mode])(a, b), a, b)
            body = f"""pto.tcmp ins(%a, %b {{cmpMode = #pto<cmp {mode}>}} : ${{a}}, ${{b}}) outs(%m : ${{m}})
            pto.tsel ins(%m, %a, %b, %t : ${{m}}, ${{a}}, ${{b}}, ${{t}}) outs(%d : ${{d}})"""
            (got,) = compute(body, inputs, {"d": type_}, {"m": mask, "t": typed(shape.partition("x,")[0], "i32")}, level=level)
            np.testing.assert_array_equal(got, want)
            body = f"""pto.tcmps ins(%a, %s {{cmpMode = #pto<cmp {mode}>}} : ${{a}}, {element}) outs(%m : ${{m}})
            pto.tsels ins(%m, %b, %t, %s : ${{m}}, ${{b}}, ${{t}}, {element}) outs(%d : ${{d}})"""
            (got,) = compute(body, inputs, {"d": type_}, {"m": mask, "t": type_}, {"s": (element, 1)}, level=level)
            one = np.full_like(a, 1)
            compared = {"eq": a == one, "ne": a != one, "lt": a < one, "le": a <= one, "gt": a > one, "ge": a >= one}[mode]
            np.testing.assert_array_equal(got, np.where(compared, b, one))


def test_masks_combine() -> None:
    type_, mask = "vec, 8x64xf32, valid=5x41", "vec, 8x64xi8, valid=5x41"
    a, b = data("f32", (5, 41)), data("f32", (5, 41))
    body = """pto.tcmps ins(%a, %z {cmpMode = #pto<cmp gt>} : ${a}, f32) outs(%m : ${m})
    pto.tcmps ins(%b, %z {cmpMode = #pto<cmp gt>} : ${b}, f32) outs(%n : ${n})
    pto.tOP ins(%m, %n : ${m}, ${n}) outs(%m : ${m})
    pto.tsels ins(%m, %one, %z : ${m}, ${one}, f32) outs(%d : ${d})"""
    for name, function in (("and", np.logical_and), ("or", np.logical_or), ("xor", np.logical_xor)):
        (got,) = compute(body.replace("OP", name), {"a": (type_, a), "b": (type_, b), "one": (type_, np.ones((5, 41)))}, {"d": type_},
                         {"m": mask, "n": mask}, {"z": ("f32", 0.0)})
        np.testing.assert_array_equal(got, function(a > 0, b > 0).astype(np.float32))
