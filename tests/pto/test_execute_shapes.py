"""Ops that move, count, gather and sort elements, boxed layouts and matrix products, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from execute import run
from execute_cases import compute, data, module, random, typed
from execute_tiles import NUMPY, places_in
from scanner import Scanner

Array = Any
LEVELS = (2, 3)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("element", ["i8", "i16", "f32", "bf16"])
def test_transpose(element: str, level: int) -> None:
    a = data(element, (20, 33))
    (got,) = compute("pto.ttrans ins(%a, %t : ${a}, ${t}) outs(%d : ${d})", {"a": (f"vec, 32x64x{element}, valid=20x33", a)},
                     {"d": f"vec, 64x32x{element}, valid=33x20"}, {"t": f"vec, 32x64x{element}"}, level=level)
    np.testing.assert_array_equal(got, a.T)


@pytest.mark.parametrize("level", LEVELS)
def test_views(level: int) -> None:
    a = data("f32", (16, 64))
    body = """%c8x = arith.constant 8 : index
    %c32x = arith.constant 32 : index
    %h = pto.subview %a[%c8x, %c32x] sizes [8, 32] : ${a} -> ${p}
    pto.texp ins(%h : ${p}) outs(%h : ${p})
    %f = pto.treshape %a : ${a} -> ${flat}
    pto.tmov ins(%f : ${flat}) outs(%flat : ${flat})
    pto.textract ins(%a, %c8x, %c32x : ${a}, index, index) outs(%p : ${p})
    pto.tinsert ins(%p, %c0, %c0 : ${p}, index, index) outs(%a : ${a})"""
    flat, part, whole = compute(body, {"a": ("vec, 16x64xf32", a)}, {"flat": "vec, 8x128xf32", "p": "vec, 8x32xf32", "a": "vec, 16x64xf32"}, level=level)
    want = a.copy()
    want[8:, 32:] = np.exp(want[8:, 32:])
    np.testing.assert_allclose(flat, want.reshape(8, 128), rtol=1e-6)
    np.testing.assert_allclose(part, want[8:, 32:], rtol=1e-6)
    want[:8, :32] = want[8:, 32:]
    np.testing.assert_allclose(whole, want, rtol=1e-6)


def test_concat_and_fillpad() -> None:
    a, b = data("i16", (5, 20)), data("i16", (5, 9))
    (got,) = compute("pto.tconcat ins(%a, %b : ${a}, ${b}) outs(%d : ${d})", {"a": ("vec, 8x32xi16, valid=5x20", a), "b": ("vec, 8x16xi16, valid=5x9", b)},
                     {"d": "vec, 8x32xi16, valid=5x29"})
    np.testing.assert_array_equal(got, np.hstack([a, b]))
    for element, values in (("i16", (0, 32767, -32768)), ("f16", (0, 65504, -65504)), ("f32", (0, np.finfo(np.float32).max, np.finfo(np.float32).min))):
        a = data(element, (5, 20))
        for pad, value in enumerate(values, 1):
            (got,) = compute("pto.tfillpad ins(%a : ${a}) outs(%d : ${d})", {"a": (f"vec, 8x32x{element}, valid=5x20", a)}, {"d": f"vec, 8x32x{element}, pad={pad}"})
            want = np.full((8, 32), value, a.dtype)
            want[:5, :20] = a
            np.testing.assert_array_equal(got, want)


def test_elements() -> None:
    a = data("f32", (4, 16))
    body = """%c18x = arith.constant 18 : index
    %c3x = arith.constant 3 : index
    %e = pto.tgetval ins(%a, %c18x : ${a}, index) outs : f32
    %n = arith.negf %e : f32
    pto.tsetval ins(%c3x, %n : index, f32) outs(%a : ${a})"""
    (got,) = compute(body, {"a": ("vec, 4x16xf32", a)}, {"a": "vec, 4x16xf32"})
    a[0, 3] = -a[1, 2]
    np.testing.assert_array_equal(got, a)


def test_counting() -> None:
    for element in ("i16", "i32"):
        (got,) = compute(f"pto.tci ins(%s, %t : {element}, ${{t}}) outs(%d : ${{d}})", {}, {"d": f"vec, 1x64x{element}, valid=1x37"},
                         {"t": "vec, 8x64xi32"}, {"s": (element, -3)})
        assert got.ravel().tolist() == list(range(-3, 34))
    (got,) = compute("pto.tci ins(%s : i32) outs(%d : ${d}) {descending = true}", {}, {"d": "vec, 1x64xi32"}, scalars={"s": ("i32", 9)})
    assert got.ravel().tolist() == list(range(9, -55, -1))


@pytest.mark.parametrize("element", ["i16", "i32", "f16", "f32"])
def test_gather(element: str) -> None:
    a, index = data(element, (16, 64)), random.integers(0, 64, (16, 64)).astype(np.int32)
    flat = index + 64 * np.arange(16, dtype=np.int32)[:, None]
    (got,) = compute("pto.tgather ins(%a, %i, %t : ${a}, ${i}, ${t}) outs(%d : ${d})", {"a": (typed("16x64", element), a), "i": (typed("16x64", "i32"), flat)},
                     {"d": typed("16x64", element)}, {"t": typed("16x64", "i32")})
    np.testing.assert_array_equal(got, np.take_along_axis(a, index, 1))


@pytest.mark.parametrize("element, index_element", [("f32", "i32"), ("i16", "i16"), ("i8", "i16")])
def test_scatter(element: str, index_element: str) -> None:
    a, base = data(element, (6, 16)), data(element, (6, 64))
    index = random.integers(0, 20, (6, 16)).astype(NUMPY[index_element])
    (got,) = compute("pto.tscatter ins(%a, %i : ${a}, ${i}) outs(%d : ${d})",
                     {"a": (f"vec, 8x32x{element}, valid=6x16", a), "i": (f"vec, 8x32x{index_element}, valid=6x16", index), "d": (f"vec, 8x64x{element}, valid=6x64", base)},
                     {"d": f"vec, 8x64x{element}, valid=6x64"})
    want = base.copy()
    for i in range(6):
        for j in range(16):
            want[i, index[i, j]] = a[i, j]
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("level", LEVELS)
def test_top_k(level: int) -> None:
    """Runs of 32, then merged by fours: values and indices apart again by mask."""
    a = np.random.default_rng(3).integers(-50, 50, (1, 512)).astype(np.float32)  # with equal ones
    labels = np.arange(512, dtype=np.int32)[None, :]
    body = """pto.tsort32 ins(%a, %l : ${a}, ${l}) outs(%p : ${p})
    %n64 = arith.constant 64 : i32
    %n256 = arith.constant 256 : i32
    pto.tmrgsort ins(%p, %n64 : ${p}, i32) outs(%q : ${q})
    pto.tmrgsort ins(%q, %n256 : ${q}, i32) outs(%p : ${p})
    pto.tgather ins(%p, {maskPattern = #pto.mask_pattern<P0101>} : ${p}, "row") outs(%v : ${v})
    pto.tgather ins(%p, {maskPattern = #pto.mask_pattern<P1010>} : ${p}, "row") outs(%k : ${k})
    %bits = pto.bitcast %k : ${k} -> ${b}
    pto.tmov ins(%bits : ${b}) outs(%b : ${b})"""
    values, numbers = compute(body, {"a": ("vec, 1x512xf32", a), "l": ("vec, 1x512xi32", labels)}, {"v": "vec, 1x512xf32", "b": "vec, 1x512xi32"},
                              {"p": "vec, 1x1024xf32", "q": "vec, 1x1024xf32", "k": "vec, 1x512xf32"}, level=level)
    order = sorted(range(512), key=lambda i: -a[0, i])
    assert values.ravel().tolist() == [a[0, i] for i in order]
    assert numbers.ravel().tolist() == order


def test_merging_lists() -> None:
    """Lists of different lengths; the vector says how many pairs each gave."""
    lists = [np.sort(data("f32", (1, n)))[:, ::-1] for n in (32, 64, 32)]
    inputs: dict[str, tuple[str, Array]] = {}
    body = "%counts = arith.constant dense<0> : vector<4xi16>\n"
    for k, one in enumerate(lists):
        n = one.shape[1]
        pairs = np.zeros((1, 2 * n), np.float32)
        pairs[:, ::2] = one
        pairs.view(np.int32)[:, 1::2] = 100 * k + np.arange(n)
        inputs[f"p{k}"] = (f"vec, 1x{2 * n}xf32", pairs)
    body += """pto.tmrgsort ins(%p0, %p1, %p2, %t {exhausted = false} : ${p0}, ${p1}, ${p2}, ${t}) outs(%d, %counts : ${d}, vector<4xi16>)"""
    (got,) = compute(body, inputs, {"d": "vec, 1x256xf32"}, {"t": "vec, 1x256xf32"})
    labels = np.concatenate([100 * k + np.arange(one.shape[1]) for k, one in enumerate(lists)])
    values = np.concatenate(lists, 1).ravel()
    order = sorted(range(128), key=lambda i: -values[i])
    assert got[0, ::2].tolist() == [values[i] for i in order]
    assert got.view(np.int32)[0, 1::2].tolist() == [labels[i] for i in order]


def test_gather_by_bytes() -> None:
    a, index = data("f32", (16, 64)), random.integers(0, 16 * 64, (16, 64)).astype(np.int32)
    (got,) = compute("pto.tgatherb ins(%a, %i : ${a}, ${i}) outs(%d : ${d})", {"a": (typed("16x64", "f32"), a), "i": (typed("16x64", "i32"), 4 * index)},
                     {"d": typed("16x64", "f32")})
    np.testing.assert_array_equal(got, a.ravel()[index])


def test_sort_of_halves() -> None:
    a = data("f16", (2, 64))
    labels = np.arange(64, dtype=np.int32)[None, :].repeat(2, 0)
    (words,) = compute("pto.tsort32 ins(%a, %l : ${a}, ${l}) outs(%p : ${p})", {"a": ("vec, 2x64xf16", a), "l": ("vec, 2x64xi32", labels)},
                       {"p": "vec, 2x256xf16"})
    for row in range(2):
        for start in (0, 32):
            order = start + np.argsort(-a[row, start : start + 32].astype(float), kind="stable")
            run = words[row, 4 * start : 4 * start + 128]
            np.testing.assert_array_equal(run[::4], a[row, order])
            np.testing.assert_array_equal(run.view(np.int32)[1::2], order)


def test_a_boxed_tile_seen_with_swapped_layouts_is_its_transpose() -> None:
    for element in ("i8", "f16", "f32"):
        size = np.dtype(NUMPY[element]).itemsize
        stored: Any = Scanner(f"!pto.tile_buf<mat, 64x96x{element}, blayout=col_major, slayout=row_major>").type()
        swapped: Any = Scanner(f"!pto.tile_buf<mat, 96x64x{element}, blayout=row_major, slayout=col_major>").type()
        np.testing.assert_array_equal(places_in(stored), places_in(swapped).T)
        # The first box has 16 rows of 32 bytes, the second lies below it.
        assert places_in(stored)[1, 0] == 32 and places_in(stored)[16, 0] == 512 and places_in(stored)[0, 32 // size] == 64 // 16 * 512


PRODUCT = """pto.tmov ins(%ma : ${ma}) outs(%l : ${l})
pto.tmov ins(%mb : ${mb}) outs(%r : ${r})
pto.tmatmul ins(%l, %r : ${l}, ${r}) outs(%c : ${c})
pto.tmatmul.acc ins(%c, %l, %r : ${c}, ${l}, ${r}) outs(%c : ${c})"""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("element", ["i8", "f16", "bf16", "f32"])
@pytest.mark.parametrize("m, k, n", [(16, 32, 32), (48, 64, 96)])
def test_products(element: str, m: int, k: int, n: int, level: int) -> None:
    a, b = data(element, (m, k)), data(element, (k, n))
    acc = "i32" if element == "i8" else "f32"
    boxed = ", blayout=col_major, slayout=row_major"
    (got,) = compute(
        PRODUCT, {"ma": (f"mat, {m}x{k}x{element}{boxed}", a), "mb": (f"mat, {k}x{n}x{element}{boxed}", b)},
        {"c": f"acc, {m}x{n}x{acc}{boxed}, fractal=1024"},
        {"l": f"left, {m}x{k}x{element}, blayout=row_major, slayout=row_major", "r": f"right, {k}x{n}x{element}, blayout=row_major, slayout=col_major"},
        level=level, kind="cube")
    want = 2 * (a.astype(np.float64) @ b.astype(np.float64))
    np.testing.assert_allclose(got, want, rtol=1e-5 if acc == "f32" else 0, atol=1e-4 if acc == "f32" else 0)


def test_print() -> None:
    text = module("""func.func @k(%n: i32, %x: f32) attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {
      pto.print ins("n is %d", %n : i32)
      pto.print ins("x is %f\\n", %x : f32)
      return
    }""")
    assert run(text, "k", [3, 0.5]).printed == ["rank 0, block 0: n is 3", "rank 0, block 0: x is 0.500000\n"]
