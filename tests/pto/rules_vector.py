"""Elementwise ops, reductions, expansions, comparisons, selections: operands, elements, extents, in place or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from facts import Facts, scalar_name, tile_of
from model import ELEMENT_BYTES, Op, Operand, Scalar, Tile
from rules_extents import same, shown_both, valid
from rules_scratch import scratch
from rules_tiles import signless, wrong_operands
from rules_types import is_boxed
from storage import address, overlap, rectangle

NUM = ("i16", "i32", "f16", "f32")
FLT = ("f16", "f32")
BIT = ("i8", "i16", "i32")
ALL_BUT_I64 = ("i8", "i16", "i32", "f16", "bf16", "f32")


@dataclass(frozen=True)
class Form:
    """`operands`: T tile, S scalar, C column, R row, K mask; `+`: then a scratch tile. Several forms: `TS|ST`."""

    operands: str
    elements: tuple[str, ...]
    columns: bool = False  # column vectors too
    in_place: bool = True


FORMS: dict[str, Form] = {
    **{f"pto.{name}": Form("TT", NUM) for name in ("tadd", "tsub", "tmul", "tmax", "tmin", "tfmod")},
    "pto.tdiv": Form("TT", FLT),
    **{f"pto.{name}": Form("TT", BIT) for name in ("tor", "tand", "tshl", "tshr")},
    "pto.txor": Form("TT+", BIT),
    "pto.trem": Form("TT+", ("i32", "f32")),
    **{f"pto.{name}": Form("TS", NUM, columns=True) for name in ("tadds", "tsubs", "tmuls", "tmaxs", "tmins")},
    "pto.tdivs": Form("TS|ST", NUM, columns=True),
    "pto.tfmods": Form("TS", NUM),
    "pto.trems": Form("TS+", ("i32", "f32")),
    "pto.tpow": Form("TT+", NUM),
    "pto.tpows": Form("TS+", NUM),
    **{f"pto.{name}": Form("TS", ("i8", "i16"), in_place=False) for name in ("tands", "tors")},
    "pto.txors": Form("TS+", ("i8", "i16"), in_place=False),
    "pto.tshls": Form("TS", BIT),
    "pto.tshrs": Form("TS", ("i16", "i32")),
    **{f"pto.{name}": Form("T", FLT) for name in ("tabs", "texp", "tlog", "tsqrt")},
    "pto.trsqrt": Form("T+", FLT),
    "pto.trecip": Form("T", FLT, in_place=False),
    "pto.tneg": Form("T", NUM, columns=True),
    "pto.trelu": Form("T", ("i32", "f16", "f32")),
    "pto.tnot": Form("T", ("i16",)),
    "pto.texpands": Form("S", ("i16", "i32", "f16", "bf16", "f32")),
    "pto.tcmp": Form("TT", ("i32", "f16", "f32")),
    "pto.tcmps": Form("TS", NUM, columns=True),
    "pto.tsel": Form("KTT+", ("i16", "i32", "f16", "bf16", "f32")),
    "pto.tsels": Form("KT+S", NUM),
    **{f"pto.trow{name}": Form("T+", NUM) for name in ("sum", "max", "min", "prod", "argmax", "argmin")},
    **{f"pto.tcol{name}": Form("T", NUM) for name in ("max", "min", "prod")},
    "pto.tcolsum": Form("T+", NUM),
    **{f"pto.tcol{name}": Form("T+", NUM) for name in ("argmax", "argmin")},
    "pto.trowexpand": Form("C", ALL_BUT_I64),
    "pto.tcolexpand": Form("R", ALL_BUT_I64),
    **{f"pto.trowexpand{name}": Form("TC+", NUM) for name in ("add", "sub", "mul", "max", "min")},
    **{f"pto.trowexpand{name}": Form("TC+", FLT) for name in ("div", "expdif")},
    **{f"pto.tcolexpand{name}": Form("TR", NUM) for name in ("add", "sub", "mul", "max", "min")},
    "pto.tcolexpanddiv": Form("TR", FLT),
}
ROW_REDUCTIONS = ("sum", "max", "min", "prod", "argmax", "argmin")


# Vector ops of other files.
OTHERS = tuple(f"pto.{name}" for name in (
    "tcvt ttrans tinsert tconcat tfillpad tci tgather tgatherb tscatter tsort32 tmrgsort tgetval tsetval".split()))


def check(facts: Facts) -> None:
    for op in facts.all_ops():
        if op.name in FORMS or op.name in OTHERS:
            _in_vec(facts, op)
        if op.name in FORMS:
            _check(facts, op, FORMS[op.name])


def _in_vec(facts: Facts, op: Op) -> None:
    for operand in op.operands:
        tile = tile_of(operand)
        if tile and tile.space != "vec":
            facts.fault(operand, "vector-space", f"{op.name} works on tiles in vec, {tile.space} found")


def base(element: str) -> str:
    """Unsigned elements go where the signed ones of their width go."""
    return element.removeprefix("u")


def matched(op: Op, form: str) -> tuple[dict[str, list[Operand]], Operand | None] | None:
    """The operands by letter, and the scratch tile, when they have the form; the scratch tile may be left out."""
    for one in form.split("|"):
        for letters in (one, one.replace("+", "")):
            ins = op.group("ins")
            if len(ins) != len(letters):
                continue
            if all(isinstance(operand.type, Scalar if letter == "S" else Tile) for letter, operand in zip(letters, ins)):
                roles: dict[str, list[Operand]] = {}
                for letter, operand in zip(letters, ins):
                    roles.setdefault(letter, []).append(operand)
                extra = roles.pop("+", None)
                return roles, extra[0] if extra else None
    return None


WORDS = {"T": "a tile", "S": "a scalar", "C": "a column vector", "R": "a row vector", "K": "a mask", "+": "a scratch tile"}


def _check(facts: Facts, op: Op, form: Form) -> None:
    found = matched(op, form.operands)
    outs = op.group("outs")
    result = tile_of(outs[0]) if len(outs) == 1 else None
    if found is None or result is None:
        what = " or ".join(", ".join(WORDS[letter] for letter in one) for one in form.operands.split("|"))
        wrong_operands(facts, op, f"{what}, and one result tile")
        return
    roles, extra = found
    name = op.name.removeprefix("pto.")
    compares = name in ("tcmp", "tcmps")
    reduces = name.removeprefix("trow") in ROW_REDUCTIONS or name.removeprefix("tcol") in ROW_REDUCTIONS
    argument = name.endswith(("argmax", "argmin"))
    data = roles.get("T", []) + roles.get("C", []) + roles.get("R", [])
    # The element type: of the sources, and of the result unless it holds something else.
    elements = [tile_of(operand) for operand in data]
    if not (compares or argument):
        elements.append(result)
    _elements(facts, op, [tile.element for tile in elements if tile], len(data), form)
    _scalar(facts, op, roles.get("S", []), elements[0])
    plain = roles.get("T", []) + ([outs[0]] if not reduces else [])
    for operand in plain:
        _row_major(facts, op, operand, form.columns)
    if reduces:
        _reduction(facts, op, roles["T"][0], outs[0], name.startswith("trow"), argument)
    elif compares:
        _comparison(facts, op, roles["T"], outs[0])
    else:
        equal_extents(facts, op, roles.get("T", []), outs[0])
    for operand in roles.get("K", []):
        _mask(facts, op, operand, outs[0])
    for operand in roles.get("C", []):
        _column(facts, op, operand, outs[0], plain_allowed=name == "trowexpand")
    for operand in roles.get("R", []):
        _row(facts, op, operand, outs[0])
    sources = [operand for letter in "TCRK" for operand in roles.get(letter, [])]
    if form.in_place:
        _not_over(facts, op, sources, outs[0], allowed=[] if reduces or compares else roles.get("T", []))
    else:
        different_storage(facts, op, sources, outs[0])
    scratch(facts, op, extra, data[0] if data else None, sources, outs[0])


def _elements(facts: Facts, op: Op, elements: list[str], sources: int, form: Form) -> None:
    for element in elements[1:sources]:
        if element != elements[0]:
            facts.fault(op, "element-differs", f"the two sources must have one element type, {elements[0]} and {element} found")
            return
    if len(set(elements)) > 1:
        facts.fault(op, "element-differs", f"source and result must have one element type, {elements[0]} and {elements[-1]} found")
        return
    element = elements[0]
    if element not in form.elements and not (base(element) in form.elements and (base(element) != "i8" or form.elements == BIT)):
        listed = ", ".join(form.elements[:-1]) + " or " + form.elements[-1] if len(form.elements) > 1 else form.elements[0]
        facts.fault(op, "element", f"on a3 the element type must be {listed}, {element} found")


def _scalar(facts: Facts, op: Op, scalars: list[Operand], tile: Tile | None) -> None:
    for operand in scalars:
        if tile and scalar_name(operand) != signless(tile.element):
            facts.fault(operand, "scalar-element", f"the scalar type must be the tile element type {signless(tile.element)}, "
                        f"{operand.type} found")


def _row_major(facts: Facts, op: Op, operand: Operand, columns: bool) -> None:
    tile = tile_of(operand)
    if tile and (is_boxed(tile) or (tile.blayout != "row_major" and not (columns and tile.cols == 1))):
        facts.fault(operand, "row-major", f"all operands must be row-major, {tile} found")


def equal_extents(facts: Facts, op: Op, sources: Sequence[Operand], result: Operand) -> None:
    for operand in [*sources[1:], result] if sources else []:
        first, other = valid(facts, sources[0]), valid(facts, operand)
        if not (same(first[0], other[0]) and same(first[1], other[1])):
            what = "the two sources" if operand is not result else "source and result"
            facts.fault(op, "extent-differs", f"{what} must have one valid shape, {shown_both(first, other)} found")
            return
    tiles = {(tile.blayout, tile.slayout) for tile in map(tile_of, [*sources, result]) if tile}
    if len(tiles) > 1:
        facts.fault(op, "layout-differs", "source and result must have one layout")


def _reduction(facts: Facts, op: Op, source: Operand, result: Operand, rows: bool, argument: bool) -> None:
    tile = tile_of(result)
    _row_major(facts, op, source, False)
    if tile is None:
        return
    if argument and tile.element not in ("i32", "ui32"):
        facts.fault(result, "element", f"the result element must be i32 or ui32, {tile.element} found")
    extent, from_ = valid(facts, result), valid(facts, source)
    kept, gone = (0, 1) if rows else (1, 0)
    words = ("rows", "columns")
    if isinstance(extent[gone], int) and extent[gone] != 1:
        facts.fault(result, "reduction-extent", f"valid {words[gone]} of the result must be 1, {extent[gone]} found")
    if not same(extent[kept], from_[kept]):
        facts.fault(result, "reduction-extent", f"valid {words[kept]} of the result must be those of the source: "
                    f"{shown_both((extent[kept],), (from_[kept],))}")
    if is_boxed(tile) or (tile.blayout == "col_major" and not (rows and tile.cols == 1)):
        facts.fault(result, "row-major", f"the result must be a {'column vector' if rows else 'row'}, {tile} found")


def _comparison(facts: Facts, op: Op, sources: list[Operand], result: Operand) -> None:
    equal_extents(facts, op, sources, sources[0])
    _mask(facts, op, result, sources[0])


def _mask(facts: Facts, op: Op, mask: Operand, data: Operand) -> None:
    """Packed bits in an i8 tile of the data's rows."""
    tile, shaped = tile_of(mask), tile_of(data)
    if tile is None or shaped is None:
        return
    if tile.element not in ("i8", "ui8"):
        facts.fault(mask, "mask", f"the mask element must be i8, {tile.element} found")
    elif tile.rows != shaped.rows or tile.cols < shaped.cols:
        facts.fault(mask, "mask", f"a mask has the shape of its data, {shaped.rows}x{shaped.cols}; {tile.rows}x{tile.cols} found")
    elif not same(valid(facts, mask)[0], valid(facts, data)[0]):
        facts.fault(mask, "mask", "a mask has the valid rows of its data: "
                    f"{shown_both((valid(facts, mask)[0],), (valid(facts, data)[0],))}")


def _column(facts: Facts, op: Op, column: Operand, result: Operand, plain_allowed: bool) -> None:
    tile = tile_of(column)
    if tile is None:
        return
    extent = valid(facts, column)
    whole = tile.blayout == "col_major" and tile.cols == 1
    width = tile.cols * ELEMENT_BYTES.get(tile.element, 0)
    block = plain_allowed and tile.blayout == "row_major" and not is_boxed(tile) and width == 32
    if not whole and not block:
        facts.fault(column, "column-vector", f"a column vector [r, 1] col_major expected, {tile} found")
    elif isinstance(extent[1], int) and extent[1] != 1 and not block:
        facts.fault(column, "column-vector", f"valid columns of a column vector must be 1, {extent[1]} found")
    elif not same(extent[0], valid(facts, result)[0]):
        facts.fault(column, "expand-extent", "valid rows of the column must equal those of the result: "
                    f"{shown_both((extent[0],), (valid(facts, result)[0],))}")


def _row(facts: Facts, op: Op, row: Operand, result: Operand) -> None:
    tile = tile_of(row)
    if tile is None:
        return
    extent = valid(facts, row)
    _row_major(facts, op, row, False)
    if isinstance(extent[0], int) and extent[0] != 1:
        facts.fault(row, "row-vector", f"valid rows of a row vector must be 1, {extent[0]} found")
    if not same(extent[1], valid(facts, result)[1]):
        facts.fault(row, "expand-extent", "valid columns of the row must equal those of the result: "
                    f"{shown_both((extent[1],), (valid(facts, result)[1],))}")


def different_storage(facts: Facts, op: Op, sources: Sequence[Operand], result: Operand) -> None:
    for operand in sources:
        if overlap(facts, operand, result):
            facts.fault(result, "in-place", f"on a3 source and destination must be different storage: `{operand.name}`")


def _not_over(facts: Facts, op: Op, sources: Sequence[Operand], result: Operand, allowed: Sequence[Operand]) -> None:
    """The result may be a source of its own shape, element for element, and otherwise shares no byte with one."""
    for operand in sources:
        if not overlap(facts, operand, result):
            continue
        exact = facts.definition(operand) is facts.definition(result)
        if not exact and operand in allowed:
            a, b = facts.root(operand), facts.root(result)
            one, other = rectangle(facts, operand), rectangle(facts, result)
            together = a is b or (a and b and address(facts, a) == address(facts, b))
            exact = bool(together and one is not None and one == other) or bool(a is b and (one is None or other is None))
        if not exact or operand not in allowed:
            facts.fault(result, "in-place", f"the result overlaps the source `{operand.name}`")
