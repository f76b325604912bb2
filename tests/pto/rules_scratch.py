"""Scratch tiles: which ops need one at level3, of which type and size; never the bytes of another operand."""

from __future__ import annotations

from collections.abc import Sequence

from facts import Facts, tile_of
from model import ELEMENT_BYTES, Op, Operand, Tile
from rules_extents import valid
from storage import overlap

REDUCTIONS = ("trowsum", "trowmax", "trowmin", "trowprod")
ARGUMENTS = ("trowargmax", "trowargmin", "tcolargmax", "tcolargmin")
# Ops that must be given their scratch where the assembler plans no memory.
REQUIRED = frozenset((*REDUCTIONS, *ARGUMENTS, "ttrans", "tsel", "tsels", "trem", "trems", "txor", "txors", "tci"))


def scratch(facts: Facts, op: Op, extra: Operand | None, source: Operand | None, sources: Sequence[Operand],
            result: Operand) -> None:
    """`source` is the operand whose type and size the rules speak of."""
    name = op.name.removeprefix("pto.")
    if name == "tcolsum":
        _binary(facts, op, extra)
    data = tile_of(source) if source else None
    power = name in ("tpow", "tpows") and data is not None
    if extra is None:
        if facts.level3 and (name in REQUIRED or (power and data and data.element == "f32")):
            facts.fault(op, "scratch-missing", "scratch must be given when memory planning is skipped (level3)")
        return
    tile = tile_of(extra)
    if tile is None:
        return
    for operand in (*sources, result):
        if overlap(facts, extra, operand):
            facts.fault(extra, "scratch-overlap", f"the scratch tile shares bytes with `{operand.name}`")
    if power and data and data.element != "f32":
        facts.fault(extra, "scratch", f"{op.name} of {data.element} takes no scratch")
        return
    wrong = _wrong(facts, name, tile, valid(facts, extra), source, result)
    if wrong:
        facts.fault(extra, "scratch", wrong)


def _binary(facts: Facts, op: Op, extra: Operand | None) -> None:
    binary = op.ins_attributes.get("isBinary", op.attributes.get("isBinary"))
    if extra is not None and binary is not True:
        facts.fault(op, "scratch-binary", "a scratch operand needs the isBinary attribute: {isBinary = true}")
    if extra is None and binary is not None:
        facts.fault(op, "scratch-binary", "isBinary needs a scratch operand")


def _wrong(facts: Facts, name: str, tile: Tile, own: tuple[object, ...], source: Operand | None, result: Operand) -> str | None:
    """What is wrong with the type or the size of a scratch tile."""
    data, to = (tile_of(source) if source else None), tile_of(result)
    if data is None or to is None:
        return None
    rows, cols = valid(facts, source) if source else (None, None)
    wide = ELEMENT_BYTES.get(tile.element, 0)
    if name == "tsel":
        if wide != 4:
            return f"scratch elements must be 4 bytes wide, {tile.element} found"
        return _at_least(tile, 32)
    if tile.element != data.element:
        return f"scratch of {tile.element} found, the source's {data.element} expected"
    if name in REDUCTIONS:
        # The size is not checked by the assembler, so only the shape that is known to do will do.
        if tile.rows < data.rows or tile.cols < data.cols:
            return f"scratch of the source's shape {data.rows}x{data.cols} expected, {tile.rows}x{tile.cols} found"
    elif name in ("trowargmax", "trowargmin"):
        long_rows = data.cols * ELEMENT_BYTES.get(data.element, 0) > 256
        if tile.rows < data.rows or (long_rows and tile.rows != data.rows):
            return f"scratch of the source's {data.rows} rows expected, {tile.rows} found"
    elif name in ("tcolargmax", "tcolargmin"):
        if isinstance(own[1], int) and own[1] * wide < 64:
            return f"scratch of at least 64 bytes of valid columns expected, {own[1] * wide} found"
    elif name == "tcolsum":
        if isinstance(cols, int) and tile.cols < cols or isinstance(rows, int) and tile.rows < (rows + 1) // 2:
            return f"scratch of half the source's rows and its columns expected, {tile.rows}x{tile.cols} found"
    elif name in ("trem", "trems"):
        if isinstance(own[0], int) and own[0] < 2:
            return f"scratch of at least 2 valid rows expected, {own[0]} found"
        if isinstance(own[1], int) and isinstance(cols, int) and own[1] < cols:
            return f"scratch of at least {cols} valid columns expected, {own[1]} found"
    elif name in ("txor", "tpow", "tpows"):
        if own != valid(facts, result):
            return "scratch of the result's valid extent expected"
    elif name in ("txors", "ttrans"):
        return _at_least(tile, to.bytes if name == "txors" else data.bytes)
    elif name == "tsels":
        if tile.cols < data.cols:
            return f"scratch of one row of {data.cols} elements expected, {tile.cols} found"
    elif name.startswith("trowexpand"):
        return _at_least(tile, 32 * data.rows)
    elif name == "trsqrt":
        return _at_least(tile, 32)
    return None


def _at_least(tile: Tile, bytes_: int) -> str | None:
    return None if tile.bytes >= bytes_ else f"scratch of at least {bytes_} bytes expected, {tile.bytes} found"
