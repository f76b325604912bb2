"""The parser: what each part of the text becomes, and what it says about text that is no module."""

from __future__ import annotations

import math
import pathlib
import re

import pytest
import syntax

ACCEPTED = sorted((pathlib.Path(__file__).parent / "accepted").glob("*.pto"))


def body(text: str, parameters: str = "") -> list[syntax.Op]:
    function = syntax.parse(f"module {{ func.func @k({parameters}) {{ {text} return }} }}").functions[0]
    return list(syntax.walk(function.body))


def fault(text: str) -> tuple[int, int, str]:
    with pytest.raises(syntax.SyntaxFault) as caught:
        syntax.parse(text)
    return caught.value.line, caught.value.column, caught.value.message


def type_of(text: str) -> syntax.Type:
    return body(f"%t = pto.alloc_tile : {text}")[0].result_types[0]


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.stem)
def test_every_type_prints_as_it_is_written(path: pathlib.Path) -> None:
    text = path.read_text()
    types = set()
    for function in syntax.parse(text).functions:
        for op in syntax.walk(function.body):
            types |= {str(t) for t in op.operand_types if t} | {str(t) for t in op.result_types}
    written = set(re.findall(r"!pto\.\w+<[^<>]*>", text))
    assert written - types <= {str(t) for f in syntax.parse(text).functions for _, t in f.parameters}
    assert {t for t in types if t.startswith("!")} - written == set()


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.stem)
def test_every_op_stands_where_it_says(path: pathlib.Path) -> None:
    lines = path.read_text().splitlines()
    for function in syntax.parse(path.read_text()).functions:
        for op in syntax.walk(function.body):
            assert op.name.endswith(re.match(r"[\w.]+", lines[op.line - 1][op.column - 1 :]).group())
            for operand in op.operands:
                assert lines[operand.line - 1][operand.column - 1 :].startswith(operand.name)


def test_a_tile_type_has_every_key() -> None:
    tile = type_of("!pto.tile_buf<mat, 32x64xf16, pad=1, valid=8x?, slayout=row_major, fractal=1024, blayout=col_major>")
    assert tile == syntax.Tile("mat", 32, 64, "f16", (8, None), "col_major", "row_major", 1024, 1)
    assert type_of("!pto.tile_buf<vec, 16x64xf32, valid=0x50>").valid == (0, 50)


def test_operands_have_roles_and_the_types_that_the_text_implies() -> None:
    op = body("%s = pto.load_scalar %p[%i] : !pto.ptr<i32> -> i32")[0]
    assert [(o.name, o.type) for o in op.operands] == [("%p", syntax.Ptr("i32")), ("%i", syntax.INDEX)]
    assert op.group("index") == (op.operands[1],)
    view = body("%v = pto.make_tensor_view %p, shape = [%a], strides = [%b] {layout = #pto.layout<nd>} : !pto.tensor_view<?xf32>")[0]
    assert view.group("pointer")[0].type == syntax.Ptr("f32")
    assert view.attributes == {"layout": syntax.Enum("layout", "nd", True)}


def test_attributes_inside_ins_are_kept_apart() -> None:
    tile = "!pto.tile_buf<vec, 16x64xf32>"
    op = body(f"pto.tcvt ins(%a {{rmode = #pto<round_mode RINT>}} : {tile}) outs(%b : {tile}) {{x = 3}}")[0]
    assert op.ins_attributes == {"rmode": syntax.Enum("round_mode", "RINT", False)}
    assert op.attributes == {"x": 3}


def test_several_results_and_carries() -> None:
    loop = body("%f:2 = scf.for %i = %a to %b step %c iter_args(%x = %m, %y = %n) -> (i32, f32) { scf.yield %x, %y : i32, f32 }")[0]
    assert loop.results == ("%f#0", "%f#1")
    assert loop.blocks[0].arguments == [("%i", syntax.INDEX), ("%x", syntax.I32), ("%y", syntax.Scalar("f32"))]
    assert [operand.name for operand in loop.group("carries")] == ["%m", "%n"]


def test_constants() -> None:
    assert body("%c = arith.constant -5 : i32")[0].attributes["value"] == -5
    assert body("%c = arith.constant true")[0].attributes["value"] is True
    assert body("%c = arith.constant 0x3FC0 : bf16")[0].attributes["value"] == 1.5
    assert math.isinf(body("%c = arith.constant 0x7F800000 : f32")[0].attributes["value"])
    assert body("%c = arith.constant dense<0> : vector<4xi16>")[0].attributes["value"] == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected `module`, found the end of the text"),
        ("module {", "expected `func.func`, found the end of the text"),
        ("module {} x", "expected the end of the text, found `x`"),
        ("module { func.func @k() { %x = pto.tmagic } }", "unknown op `pto.tmagic`"),
        ("module { func.func @k(%a: !pto.what<f32>) { return } }", "unknown type `!pto.what`"),
        ("module { func.func @k(%a: f64) { return } }", "unknown type `f64`"),
        ("module { func.func @k() { %x, %y = pto.trap } }", "several results are named together: `%x:2 = ...`, then %x#0 and %x#1"),
        ("module { func.func @k() { %x = pto.trap } }", "pto.trap has 0 results, 1 named"),
        ("module { func.func @k() { scf.for %i = 1 to %n step %s {} } }", "expected a value such as %x, found `1`"),
        ("module { func.func @k() { pto.comm.tput(%a, %b : i32, i32) } }", "expected `,`, found `:`"),
        ("module { func.func @k() { ^bb0: ^bb1: } }", "a region has one block; branches between blocks are not part of the dialect"),
        ("module { func.func @k() { " + "scf.if %c { " * 60, "nested more than 40 deep"),
        ("module attributes {a = 1, a = 2} {}", "attribute `a` is given twice"),
    ],
)
def test_faults(text: str, message: str) -> None:
    assert fault(text)[2] == message


def test_a_fault_says_where() -> None:
    assert fault("module {\n  func.func @k() {\n    %x = pto.tmagic\n") == (3, 10, "unknown op `pto.tmagic`")
