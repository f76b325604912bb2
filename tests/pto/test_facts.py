"""Constants that the assembler computes itself, and values that are known to be equal."""

from __future__ import annotations

import math
import struct

import pytest
from facts import Facts
from fold import rounded
from syntax import parse

HEAD = "module { func.func @k(%a: index, %b: index, %i: i32, %f: f32, %p: !pto.ptr<f32>) { "
CONSTANTS = (
    "%m7 = arith.constant -7 : i32 %c2 = arith.constant 2 : i32 %c0 = arith.constant 0 : index %c1 = arith.constant 1 : index "
    "%f1 = arith.constant 1.0 : f32 %f0 = arith.constant 0.0 : f32 %n0 = arith.constant -0.0 : f32 %f3 = arith.constant 3.0 : f32 "
    "%min = arith.constant -2147483648 : i32 %bits = arith.constant 0x3FC00000 : i32 %yes = arith.constant true "
)


def values(text: str) -> dict[str, tuple[int, object]]:
    """Number and constant of each value that `text` defines."""
    facts = Facts(parse(HEAD + CONSTANTS + text + " return } }"), "level2")
    assert not facts.faults
    found = [value for op in facts.all_ops() for value in facts.results[id(op)]]
    found += facts.parameters["k"]
    return {value.name: (value.number, facts.constant_of(value.number)) for value in found}


@pytest.mark.parametrize(
    ("text", "constant"),
    [
        ("arith.addi %m7, %c2 : i32", -5),
        ("arith.floordivsi %m7, %c2 : i32", -4),
        ("arith.divsi %m7, %c2 : i32", -3),
        ("arith.ceildivsi %m7, %c2 : i32", -3),
        ("arith.remsi %m7, %c2 : i32", -1),
        ("arith.subi %min, %c2 : i32", 2147483646),
        ("arith.shli %c2, %c2 : i32", 8),
        ("arith.shrsi %m7, %c2 : i32", -2),
        ("arith.minsi %m7, %c2 : i32", -7),
        ("arith.trunci %bits : i32 to i16", 0),
        ("arith.index_cast %m7 : i32 to index", -7),
        ("arith.divf %f1, %f3 : f32", struct.unpack("<f", struct.pack("<f", 1 / 3))[0]),
        ("arith.divf %f1, %n0 : f32", -math.inf),
        ("arith.bitcast %bits : i32 to f32", 1.5),
        ("arith.sitofp %m7 : i32 to f32", -7.0),
        ("arith.negf %f3 : f32", -3.0),
        ("arith.floordivsi %m7, %m0 : i32", None),
        ("arith.addi %i, %c2 : i32", None),
    ],
)
def test_constants_are_folded(text: str, constant: object) -> None:
    assert values(f"%m0 = arith.constant 0 : i32 %x = {text}")["%x"][1] == constant


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("arith.addi %a, %c0 : index", "%a"),
        ("arith.muli %c1, %a : index", "%a"),
        ("arith.subi %a, %c0 : index", "%a"),
        ("arith.subf %f, %f0 : f32", "%f"),
        ("arith.divf %f, %f1 : f32", "%f"),
        ("arith.select %yes, %a, %b : index", "%a"),
        ("arith.minsi %a, %a : index", "%a"),
        ("pto.addptr %p, %c0 : !pto.ptr<f32> -> !pto.ptr<f32>", "%p"),
        ("arith.addi %a, %b : index", "arith.addi %b, %a : index"),
        ("arith.minsi %a, %b : index", "arith.minsi %b, %a : index"),
        ("pto.get_block_idx", "pto.get_block_idx"),
    ],
)
def test_values_are_equal(left: str, right: str) -> None:
    found = values(f"%x = {left} " + (f"%y = {right}" if " " in right or "." in right else ""))
    assert found["%x"][0] == found[right if right.startswith("%") else "%y"][0]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("arith.subi %a, %b : index", "arith.subi %b, %a : index"),
        ("arith.cmpi slt, %a, %b : index", "arith.cmpi sle, %a, %b : index"),
        ("arith.subf %f, %n0 : f32", "arith.subf %f, %f0 : f32"),
        ("pto.load_scalar %p[%c0] : !pto.ptr<f32> -> f32", "pto.load_scalar %p[%c0] : !pto.ptr<f32> -> f32"),
        ("arith.trunci %i : i32 to i16", "arith.trunci %i : i32 to i8"),
        ("arith.constant 1 : i64", "arith.constant 1 : i32"),
    ],
)
def test_values_are_not_known_to_be_equal(left: str, right: str) -> None:
    found = values(f"%x = {left} %y = {right}")
    assert found["%x"][0] != found["%y"][0]


@pytest.mark.parametrize(
    ("value", "element", "result"),
    [(70000.0, "f16", math.inf), (-1e39, "f32", -math.inf), (3.4e38, "bf16", math.inf), (1.00390625, "bf16", 1.0), (65504.0, "f16", 65504.0)],
)
def test_rounding(value: float, element: str, result: float) -> None:
    assert rounded(value, element) == result
