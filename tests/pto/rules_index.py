"""Gather, scatter and sorting."""

from __future__ import annotations

from facts import Facts, tile_of
from model import ELEMENT_BYTES, I32, Op, Operand, Tile, Vector
from rules_extents import same, shown_both, valid
from rules_shapes import tiles_of
from rules_tiles import wrong_operands
from rules_vector import NUM, base, different_storage
from storage import overlap

KEYS = ("f16", "f32")


def check(facts: Facts) -> None:
    rules = {
        "pto.tgather": _gather,
        "pto.tgatherb": _gather_bytes,
        "pto.tscatter": _scatter,
        "pto.tsort32": _sort,
        "pto.tmrgsort": _merge,
    }
    for op in facts.all_ops():
        if op.name in rules:
            rules[op.name](facts, op)
            _rows(facts, op)


def _rows(facts: Facts, op: Op) -> None:
    for operand in op.operands:
        tile = tile_of(operand)
        if tile and (tile.blayout != "row_major" or tile.slayout != "none_box"):
            facts.fault(operand, "row-major", f"all operands must be row-major, {tile} found")


def _elements(facts: Facts, op: Op, tiles: list[Tile], allowed: tuple[str, ...]) -> None:
    if len({tile.element for tile in tiles}) > 1:
        facts.fault(op, "element-differs", f"source and result must have one element type, {tiles[0].element} and "
                    f"{tiles[-1].element} found")
    elif base(tiles[0].element) not in allowed:
        listed = ", ".join(allowed[:-1]) + " or " + allowed[-1]
        facts.fault(op, "element", f"on a3 the element type must be {listed}, {tiles[0].element} found")


def _index(facts: Facts, operand: Operand, width: int) -> None:
    tile = tile_of(operand)
    if tile and (not base(tile.element).startswith("i") or ELEMENT_BYTES.get(tile.element) != width):
        facts.fault(operand, "index-element", f"index width does not fit the data width: i{8 * width} expected, {tile.element} found")


def _extents(facts: Facts, op: Op, left: Operand, right: Operand, what: str) -> None:
    a, b = valid(facts, left), valid(facts, right)
    if not (same(a[0], b[0]) and same(a[1], b[1])):
        facts.fault(op, "extent-differs", f"{what} must have one valid shape, {shown_both(a, b)} found")


def _gather(facts: Facts, op: Op) -> None:
    if "axis" in op.attributes or "maskPattern" in op.ins_attributes:
        _gather_mask(facts, op)
        return
    tiles = tiles_of(op, 3)
    if tiles is None:
        facts.fault(op, "operands", "the index form needs indices and scratch")
        return
    source, index, extra = op.group("ins")
    result = op.group("outs")[0]
    _elements(facts, op, [tiles[0], tiles[3]], NUM)
    _index(facts, index, 4)
    _extents(facts, op, index, result, "the indices and the result")
    if base(tiles[2].element) != "i32":
        facts.fault(extra, "scratch", f"scratch of i32 expected, {tiles[2].element} found")
    elif not all(same(a, b) for a, b in zip(valid(facts, extra), valid(facts, index))):
        facts.fault(extra, "scratch", "scratch of the indices' valid extent expected: "
                    f"{shown_both(valid(facts, index), valid(facts, extra))}")
    for operand in (source, index, result):
        if overlap(facts, extra, operand):
            facts.fault(extra, "scratch-overlap", f"the scratch tile shares bytes with `{operand.name}`")
    different_storage(facts, op, (source, index), result)


def _gather_mask(facts: Facts, op: Op) -> None:
    """Every other element of each row."""
    tiles = tiles_of(op, 1)
    if tiles is None or "maskPattern" not in op.ins_attributes or op.attributes.get("axis") != "row":
        facts.fault(op, "operands", 'the mask form is ins(%tile, {maskPattern = ...} : type, "row")')
        return
    _elements(facts, op, tiles, NUM)
    source, result = valid(facts, op.group("ins")[0]), valid(facts, op.group("outs")[0])
    if not same(source[0], result[0]):
        facts.fault(op, "extent-differs", f"source and result must have the same valid rows, {shown_both(source[:1], result[:1])} found")
    if isinstance(source[1], int) and isinstance(result[1], int) and source[1] != 2 * result[1]:
        facts.fault(op, "extent-differs", f"the result must have half the source's {source[1]} valid columns, {result[1]} found")
    different_storage(facts, op, op.group("ins"), op.group("outs")[0])


def _gather_bytes(facts: Facts, op: Op) -> None:
    tiles = tiles_of(op, 2)
    if tiles is None:
        wrong_operands(facts, op, "a tile, byte offsets, and one result tile")
        return
    _elements(facts, op, [tiles[0], tiles[2]], NUM)
    _index(facts, op.group("ins")[1], 4)
    _extents(facts, op, op.group("ins")[1], op.group("outs")[0], "the offsets and the result")
    different_storage(facts, op, op.group("ins"), op.group("outs")[0])


def _scatter(facts: Facts, op: Op) -> None:
    tiles = tiles_of(op, 2)
    if tiles is None:
        wrong_operands(facts, op, "a tile, indices, and one result tile")
        return
    source, index = op.group("ins")
    result = op.group("outs")[0]
    _elements(facts, op, [tiles[0], tiles[2]], ("i8", "i16", "i32", "f16", "bf16", "f32"))
    _index(facts, index, 4 if ELEMENT_BYTES.get(tiles[0].element) == 4 else 2)
    _extents(facts, op, source, index, "the source and the indices")
    for word, a, b in zip(("rows", "columns"), valid(facts, source), valid(facts, result)):
        if isinstance(a, int) and isinstance(b, int) and b < a:
            facts.fault(op, "extent-differs", f"the result has {b} valid {word}, at least the source's {a} expected")
    different_storage(facts, op, (source, index), result)


def _sort(facts: Facts, op: Op) -> None:
    tiles = tiles_of(op, 2)
    if tiles is None:
        wrong_operands(facts, op, "values, indices, and one result tile")
        return
    values, index, result = tiles
    _elements(facts, op, [values, result], KEYS)
    _index(facts, op.group("ins")[1], 4)
    _extents(facts, op, op.group("ins")[0], op.group("ins")[1], "the values and the indices")
    if values.cols % 32:
        facts.fault(op, "sort-columns", f"columns must be a multiple of 32, {values.cols} found")
    pairs = 2 if values.element == "f32" else 4
    if result.cols != pairs * values.cols or result.rows != values.rows:
        facts.fault(op, "sort-columns", f"the result holds pairs: {values.rows}x{pairs * values.cols} expected, "
                    f"{result.rows}x{result.cols} found")
    different_storage(facts, op, op.group("ins"), op.group("outs")[0])


def _merge(facts: Facts, op: Op) -> None:
    ins, outs = op.group("ins"), op.group("outs")
    tiles = [tile for tile in map(tile_of, (*ins, *outs[:1])) if tile]
    if len(ins) == 2 and ins[1].type == I32 and len(outs) == 1 and len(tiles) == 2:
        length = facts.integer(ins[1])
        if length is not None and (length <= 0 or length % 64):
            facts.fault(ins[1], "sort-columns", f"the block length must be a multiple of 64, {length} found")
        if tiles[0].cols != tiles[1].cols:
            facts.fault(op, "sort-columns", f"source and result must have the same columns: {tiles[0].cols} and {tiles[1].cols}")
    elif not (3 <= len(ins) <= 5 and len(outs) == 2 and len(tiles) == len(ins) + 1 and outs[1].type == Vector((4,), "i16")):
        wrong_operands(facts, op, "a tile and a block length, or 2 to 4 lists and a scratch tile with a vector<4xi16> beside the result")
        return
    for tile in tiles:
        if tile.rows != 1:
            facts.fault(op, "sort-rows", f"exactly one row is allowed, {tile.rows} found")
            break
    _elements(facts, op, tiles, KEYS)
    different_storage(facts, op, ins, outs[0])


