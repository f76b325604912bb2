"""Moves, casts, transposition, parts and wholes of tiles, padding, counting."""

from __future__ import annotations

from facts import Facts, scalar_name, tile_of
from model import ELEMENT_BYTES, INDEX, Enum, Op, Operand, Tile
from rules_extents import same, shown_both, valid
from rules_scratch import scratch
from rules_tiles import STORED_FROM_ACC, signless, wrong_operands
from rules_types import is_boxed
from rules_vector import ALL_BUT_I64, base, different_storage
from storage import overlap

PARTS = ("i8", "f16", "bf16", "f32")
# Conversions the hardware is known to have, in both directions; the rest is chained.
CASTS = {"f32": ("f16", "bf16", "i16", "i32", "i64"), "f16": ("i8", "ui8", "i16", "i32"), "i32": ("i16", "i64")}
WIDENING = {("f16", "f32"), ("bf16", "f32"), ("i8", "f16"), ("ui8", "f16")}


def check(facts: Facts) -> None:
    rules = {
        "pto.tmov": _move,
        "pto.tcvt": _cast,
        "pto.ttrans": _transpose,
        "pto.textract": _extract,
        "pto.tinsert": _insert,
        "pto.tconcat": _concat,
        "pto.tfillpad": _fill,
        "pto.tci": _count,
    }
    for op in facts.all_ops():
        if op.name in rules:
            rules[op.name](facts, op)


def tiles_of(op: Op, ins: int) -> list[Tile] | None:
    """The types of `ins` tiles and one result, None when the op has other operands."""
    operands = [*op.group("ins"), *op.group("outs")]
    tiles = [tile for tile in map(tile_of, operands) if tile]
    return tiles if len(op.group("ins")) == ins and len(op.group("outs")) == 1 and len(tiles) == ins + 1 else None


def _shape(tile: Tile) -> tuple[int, int]:
    return (tile.rows, tile.cols)


def _move(facts: Facts, op: Op) -> None:
    tiles = tiles_of(op, 1)
    if tiles is None:
        wrong_operands(facts, op, "a tile, and one result tile")
        return
    source, result = tiles
    spaces = (source.space, result.space)
    if spaces not in (("vec", "vec"), ("mat", "left"), ("mat", "right"), ("mat", "bias"), ("acc", "mat")):
        facts.fault(op, "move-spaces", f"this pair of spaces is not supported: {source.space} to {result.space}")
        return
    from_, to = op.group("ins")[0], op.group("outs")[0]
    if _shape(source) != _shape(result):
        facts.fault(op, "move-shape", f"on a3 the shapes of a move must match: {source.rows}x{source.cols} and {result.rows}x{result.cols}")
    elif not all(same(a, b) for a, b in zip(valid(facts, from_), valid(facts, to))):
        facts.fault(op, "extent-differs", "source and result must have one valid shape, "
                    f"{shown_both(valid(facts, from_), valid(facts, to))} found")
    if spaces == ("acc", "mat"):
        if result.element not in STORED_FROM_ACC:
            facts.fault(op, "element", f"acc moves into {', '.join(STORED_FROM_ACC)}, {result.element} found")
    elif source.element != result.element:
        facts.fault(op, "element-differs", f"source and result must have one element type, {source.element} and {result.element} found")
    if result.space in ("left", "right", "mat") and not (is_boxed(source) and is_boxed(result)):
        facts.fault(op, "layout", "a tile without boxes does not feed a product")
    if result.space == "bias" and is_boxed(source):
        facts.fault(op, "layout", "bias comes from a mat row without boxes")
    if spaces == ("vec", "vec") and (source.blayout, source.slayout) != (result.blayout, result.slayout):
        facts.fault(op, "layout-differs", "source and result must have one layout")


def known_cast(source: str, result: str) -> bool:
    a, b = (element if element == "ui8" else base(element) for element in (source, result))
    return b in CASTS.get(a, ()) or a in CASTS.get(b, ())


def _cast(facts: Facts, op: Op) -> None:
    ins, outs = op.group("ins"), op.group("outs")
    source = tile_of(ins[0]) if ins else None
    result = tile_of(outs[0]) if len(outs) == 1 else None
    if source is None or result is None or len(ins) > 2:
        wrong_operands(facts, op, "a tile, a scratch tile or none, and one result tile")
        return
    if _shape(source) != _shape(result):
        facts.fault(op, "cast-shape", f"source and result must have one shape: {source.rows}x{source.cols} and {result.rows}x{result.cols}")
    elif not all(same(a, b) for a, b in zip(valid(facts, ins[0]), valid(facts, outs[0]))):
        facts.fault(op, "extent-differs", "source and result must have one valid shape, "
                    f"{shown_both(valid(facts, ins[0]), valid(facts, outs[0]))} found")
    if (source.blayout, source.slayout) != (result.blayout, result.slayout):
        facts.fault(op, "layout-differs", "source and result must have one layout")
    if ELEMENT_BYTES.get(source.element) != ELEMENT_BYTES.get(result.element):
        different_storage(facts, op, ins[:1], outs[0])
    if not known_cast(source.element, result.element):
        facts.fault(op, "cast-pair", f"no conversion of {source.element} to {result.element} is known; chain it")
    mode = op.ins_attributes.get("rmode")
    if (source.element, result.element) in WIDENING and isinstance(mode, Enum) and mode.value != "NONE":
        facts.fault(op, "cast-mode", f"{source.element} to {result.element} is exact: rounding mode NONE expected, {mode.value} found")
    saturates = op.ins_attributes.get("sat_mode")
    pair = (base(source.element), base(result.element))
    needs = pair in (("f32", "i16"), ("f16", "i16"), ("f16", "i8"))
    if isinstance(saturates, Enum) and saturates.value == "ON":
        needs = False
    if len(ins) == 1:
        if needs and facts.level3:
            facts.fault(op, "scratch-missing", "scratch must be given when memory planning is skipped (level3)")
        return
    _cast_scratch(facts, op, pair, source)
    for operand in (ins[0], outs[0]):
        if overlap(facts, ins[1], operand):
            facts.fault(ins[1], "scratch-overlap", f"the scratch tile shares bytes with `{operand.name}`")


def _cast_scratch(facts: Facts, op: Op, pair: tuple[str, str], source: Tile) -> None:
    extra = tile_of(op.group("ins")[1])
    if extra is None:
        wrong_operands(facts, op, "a tile, a scratch tile or none, and one result tile")
        return
    # 256 bytes for each 64 columns of one row; a ragged tail may ask for up to the whole tile.
    whole = -(-source.cols // 64)
    bytes_ = 256
    if pair == ("f32", "i16"):
        columns = valid(facts, op.group("ins")[0])[1]
        ragged = not isinstance(columns, int) or columns % 64
        bytes_ = max(source.bytes, 256 * whole) if ragged else 256 * whole
    if extra.bytes < bytes_:
        facts.fault(op.group("ins")[1], "scratch", f"scratch of at least {bytes_} bytes expected, {extra.bytes} found")


def _transpose(facts: Facts, op: Op) -> None:
    ins, outs = op.group("ins"), op.group("outs")
    source = tile_of(ins[0]) if ins else None
    result = tile_of(outs[0]) if len(outs) == 1 else None
    if source is None or result is None or len(ins) > 2 or any(tile_of(one) is None for one in ins):
        wrong_operands(facts, op, "a tile, a scratch tile, and one result tile")
        return
    if source.element != result.element:
        facts.fault(op, "element-differs", f"source and result must have one element type, {source.element} and {result.element} found")
    _element(facts, op, source.element, ALL_BUT_I64)
    for operand in (ins[0], outs[0]):
        tile = tile_of(operand)
        if tile and (tile.blayout != "row_major" or is_boxed(tile)):
            facts.fault(operand, "row-major", f"all operands must be row-major, {tile} found")
    rows, cols = valid(facts, ins[0])
    if not (same(rows, valid(facts, outs[0])[1]) and same(cols, valid(facts, outs[0])[0])):
        facts.fault(op, "extent-differs", "the valid extent of the result must be that of the source, turned round: "
                    f"{shown_both((cols, rows), valid(facts, outs[0]))} found")
    different_storage(facts, op, ins[:1], outs[0])
    scratch(facts, op, ins[1] if len(ins) == 2 else None, ins[0], ins[:1], outs[0])


def _element(facts: Facts, op: Op, element: str, allowed: tuple[str, ...]) -> None:
    if base(element) not in allowed:
        listed = ", ".join(allowed[:-1]) + " or " + allowed[-1]
        facts.fault(op, "element", f"on a3 the element type must be {listed}, {element} found")


def _placed(facts: Facts, op: Op) -> tuple[Operand, Operand] | None:
    """The first and the result tile of an op with a row and a column."""
    ins, outs = op.group("ins"), op.group("outs")
    if len(ins) == 3 and len(outs) == 1 and tile_of(ins[0]) and tile_of(outs[0]) and ins[1].type == INDEX and ins[2].type == INDEX:
        return ins[0], outs[0]
    wrong_operands(facts, op, "a tile, a row, a column, and one result tile")
    return None


def _bounds(facts: Facts, op: Op, part: Tile, whole: Tile, what: str) -> None:
    for name, operand, size, limit in (("row", op.group("ins")[1], part.rows, whole.rows),
                                       ("column", op.group("ins")[2], part.cols, whole.cols)):
        start = facts.integer(operand)
        if start is None:
            start = 0
        if start < 0 or start + size > limit:
            facts.fault(operand, "bounds", f"{name} offset {start} + {name}s {size} exceed the {what} {name}s ({limit})")


def _extract(facts: Facts, op: Op) -> None:
    found = _placed(facts, op)
    if found is None:
        return
    source, result = tile_of(found[0]), tile_of(found[1])
    assert source and result
    if (source.space, result.space) not in (("vec", "vec"), ("mat", "left"), ("mat", "right")):
        facts.fault(op, "move-spaces", f"this pair of spaces is not supported: {source.space} to {result.space}")
        return
    _same_parts(facts, op, source, result)
    _bounds(facts, op, result, source, "source")
    if source.space == "mat" and not is_boxed(source):
        facts.fault(op, "layout", "a tile without boxes does not feed a product")
    if source.space == "vec":
        _rows_only(facts, op, found)
        different_storage(facts, op, found[:1], found[1])


def _insert(facts: Facts, op: Op) -> None:
    found = _placed(facts, op)
    if found is None:
        return
    part, whole = tile_of(found[0]), tile_of(found[1])
    assert part and whole
    if (part.space, whole.space) != ("vec", "vec"):
        facts.fault(op, "move-spaces", f"this pair of spaces is not supported: {part.space} to {whole.space}")
        return
    _same_parts(facts, op, part, whole)
    _bounds(facts, op, part, whole, "result")
    _rows_only(facts, op, found)
    different_storage(facts, op, found[:1], found[1])


def _same_parts(facts: Facts, op: Op, first: Tile, second: Tile) -> None:
    if first.element != second.element:
        facts.fault(op, "element-differs", f"source and result must have one element type, {first.element} and {second.element} found")
    elif first.element not in PARTS:
        facts.fault(op, "element", f"on a3 the element type must be i8, f16, bf16 or f32, {first.element} found")


def _rows_only(facts: Facts, op: Op, operands: tuple[Operand, ...]) -> None:
    for operand in operands:
        tile = tile_of(operand)
        if tile and (tile.blayout != "row_major" or is_boxed(tile)):
            facts.fault(operand, "row-major", f"all operands must be row-major, {tile} found")


def _concat(facts: Facts, op: Op) -> None:
    tiles = tiles_of(op, 2)
    if tiles is None:
        wrong_operands(facts, op, "two tiles, and one result tile")
        return
    operands = (*op.group("ins"), *op.group("outs"))
    if len({tile.element for tile in tiles}) > 1:
        facts.fault(op, "element-differs", "both sources and the result must have one element type")
    _element(facts, op, tiles[0].element, ALL_BUT_I64)
    _rows_only(facts, op, operands)
    left, right, result = (valid(facts, operand) for operand in operands)
    if not (same(left[0], right[0]) and same(left[0], result[0])):
        facts.fault(op, "extent-differs", "both sources and the result must have the same valid rows")
    if isinstance(left[1], int) and isinstance(right[1], int):
        if left[1] + right[1] > tiles[2].cols:
            facts.fault(op, "concat-columns", f"{left[1]} + {right[1]} columns exceed the {tiles[2].cols} of the result")
        elif isinstance(result[1], int) and result[1] != left[1] + right[1]:
            facts.fault(op, "concat-columns", f"the result has {result[1]} valid columns, {left[1]} + {right[1]} expected")
    different_storage(facts, op, op.group("ins"), op.group("outs")[0])


def _fill(facts: Facts, op: Op) -> None:
    tiles = tiles_of(op, 1)
    if tiles is None:
        wrong_operands(facts, op, "a tile, and one result tile")
        return
    source, result = tiles
    if source.element != result.element:
        facts.fault(op, "element-differs", f"source and result must have one element type, {source.element} and {result.element} found")
    _element(facts, op, source.element, ALL_BUT_I64)
    if _shape(source) != _shape(result):
        facts.fault(op, "fill-shape", f"source and result must have one shape: {source.rows}x{source.cols} and {result.rows}x{result.cols}")
    if result.pad not in (1, 2, 3):
        facts.fault(op, "fill-pad", f"the result must say what to fill with: pad=1 (zero), 2 (max) or 3 (min), {result.pad} found")
    if result.valid != _shape(result):
        facts.fault(op, "fill-extent", "the valid extent of the result must be its shape")
    if (source.blayout, source.slayout) != (result.blayout, result.slayout):
        facts.fault(op, "layout-differs", "source and result must have one layout")


def _count(facts: Facts, op: Op) -> None:
    ins, outs = op.group("ins"), op.group("outs")
    result = tile_of(outs[0]) if len(outs) == 1 else None
    if result is None or len(ins) not in (1, 2) or not scalar_name(ins[0]) or (len(ins) == 2 and tile_of(ins[1]) is None):
        wrong_operands(facts, op, "a scalar, a scratch tile or none, and one result tile")
        return
    if base(result.element) not in ("i16", "i32"):
        facts.fault(op, "element", f"on a3 the element type must be i16 or i32, {result.element} found")
    if scalar_name(ins[0]) != signless(result.element):
        facts.fault(ins[0], "scalar-element", f"the scalar type must be the tile element type {signless(result.element)}, "
                    f"{ins[0].type} found")
    rows, cols = valid(facts, outs[0])
    if result.rows != 1 or result.blayout != "row_major" or cols == 1:
        facts.fault(outs[0], "count-shape", f"the result must be one row of more than one column, {result} found")
    extra = tile_of(ins[1]) if len(ins) == 2 else None
    if extra is None:
        if facts.level3:
            facts.fault(op, "scratch-missing", "scratch must be given when memory planning is skipped (level3)")
        return
    bytes_ = 768 if base(result.element) == "i32" else 1792
    if extra.element not in ("i32", "ui32", "f32") or extra.blayout != "row_major" or extra.bytes < bytes_:
        facts.fault(ins[1], "scratch", f"scratch of 4-byte elements, row_major, of at least {bytes_} bytes expected, {extra} found")
    if overlap(facts, ins[1], outs[0]):
        facts.fault(ins[1], "scratch-overlap", f"the scratch tile shares bytes with `{outs[0].name}`")
