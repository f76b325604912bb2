"""Tiles as buffers: allocation, valid extents, other types for their bytes, loads and stores, single elements."""

from __future__ import annotations

from facts import Facts, kind_of, tile_of
from model import ELEMENT_BYTES, INDEX, Enum, Op, Operand, Part, Scalar, Tile, Type
from rules_extents import Known, region, same, shown_both, valid
from rules_types import is_boxed
from rules_views import layout_of

ATOMIC = ("f32", "f16", "bf16", "i32", "i16")
STORED_FROM_ACC = ("i32", "f32", "f16", "bf16")


def check(facts: Facts) -> None:
    rules = {
        "pto.alloc_tile": _alloc,
        "pto.set_validshape": _set_valid,
        "pto.treshape": _reshape,
        "pto.bitcast": _bitcast,
        "pto.tload": _load,
        "pto.tstore": _store,
        "pto.tgetval": _get,
        "pto.tsetval": _set,
        "pto.tprint": _print,
        "pto.print": _print,
    }
    for op in facts.all_ops():
        if op.name in rules:
            rules[op.name](facts, op)
        _core(facts, op)


def _core(facts: Facts, op: Op) -> None:
    """vec tiles belong to vector functions, all other spaces to cube functions."""
    types: list[Type | None] = [*op.operand_types, *op.result_types]
    spaces = {type_.space for type_ in types if isinstance(type_, Tile)}
    owner = facts.owners[id(op)]
    for kind in sorted(facts.kinds(owner)):
        for space in sorted(spaces):
            if (space == "vec") != (kind == "vector"):
                caller = "" if kind_of(owner) else " that calls this helper"
                facts.fault(op, "core", f"a {kind} function{caller} has no tiles in {space}")


def wrong_operands(facts: Facts, op: Op, what: str) -> None:
    facts.fault(op, "operands", f"{op.name} takes {what}")


def _alloc(facts: Facts, op: Op) -> None:
    tile = op.result_types[0]
    if not isinstance(tile, Tile):
        facts.fault(op, "operands", f"pto.alloc_tile returns a tile, {tile} found")
        return
    for role, dim in (("valid_row", tile.valid[0]), ("valid_col", tile.valid[1])):
        if dim is None and not op.group(role):
            facts.fault(op, "valid-operand", f"{role} is required because that valid is ?")
        elif dim is not None and op.group(role):
            facts.fault(op.group(role)[0], "valid-operand", f"{role} must be absent because that valid is static")
    for role, limit in (("valid_row", tile.rows), ("valid_col", tile.cols)):
        for operand in op.group(role):
            _within(facts, operand, limit, "row" if role == "valid_row" else "column")


def _within(facts: Facts, operand: Operand, limit: int, what: str) -> None:
    value = facts.integer(operand)
    if value is not None and not 0 <= value <= limit:
        where = "above" if value > limit else "below 0, of"
        facts.fault(operand, "tile-valid", f"constant {what} count {value} is {where} the tile {what}s ({limit})")


def _set_valid(facts: Facts, op: Op) -> None:
    tile = tile_of(op.group("tile")[0])
    if tile is None:
        wrong_operands(facts, op, "a tile")
        return
    if tile.valid != (None, None):
        facts.fault(op, "valid-static", "both valid dims must be ?")
    _within(facts, op.group("rows")[0], tile.rows, "row")
    _within(facts, op.group("columns")[0], tile.cols, "column")


def _reshape(facts: Facts, op: Op) -> None:
    source, result = tile_of(op.group("source")[0]), op.result_types[0]
    if source is None or not isinstance(result, Tile):
        wrong_operands(facts, op, "a tile and returns one")
        return
    if source.bytes != result.bytes:
        facts.fault(op, "reshape-bytes", f"the total bytes differ: {source.bytes} and {result.bytes}")
    if source.space != result.space:
        facts.fault(op, "reshape-space", f"the spaces differ: {source.space} and {result.space}")
    if is_boxed(source) != is_boxed(result):
        facts.fault(op, "reshape-boxes", "either both tiles have boxes or none")


def _bitcast(facts: Facts, op: Op) -> None:
    source, result = tile_of(op.group("source")[0]), op.result_types[0]
    if source is None or not isinstance(result, Tile):
        wrong_operands(facts, op, "a tile and returns one")
        return
    shape = (source.space, source.rows, source.cols, source.valid, source.blayout, source.slayout)
    if shape != (result.space, result.rows, result.cols, result.valid, result.blayout, result.slayout):
        facts.fault(op, "bitcast-type", "pto.bitcast changes only the element type")
    if ELEMENT_BYTES.get(source.element) != ELEMENT_BYTES.get(result.element):
        facts.fault(op, "bitcast-type", f"the element widths differ: {source.element} and {result.element}")


def _one_of_each(facts: Facts, op: Op, first: type, second: type) -> bool:
    """True when ins is one value of `first` and outs one of `second`."""
    ins, outs = op.group("ins"), op.group("outs")
    return len(ins) == 1 and len(outs) == 1 and isinstance(ins[0].type, first) and isinstance(outs[0].type, second)


def _load(facts: Facts, op: Op) -> None:
    if not _one_of_each(facts, op, Part, Tile):
        ins = op.group("ins")
        if len(ins) == 1 and not isinstance(ins[0].type, Part):
            facts.fault(ins[0], "load-source", f"operand 0 must be a partition view, {ins[0].type} found")
        else:
            wrong_operands(facts, op, "a partition view and a tile")
        return
    part, tile = op.group("ins")[0], op.group("outs")[0]
    assert isinstance(tile.type, Tile)
    if tile.type.space not in ("vec", "mat"):
        facts.fault(tile, "load-space", f"the destination must be vec or mat, {tile.type.space} found")
    _moved(facts, op, part, tile)


def _store(facts: Facts, op: Op) -> None:
    if not _one_of_each(facts, op, Tile, Part):
        wrong_operands(facts, op, "a tile and a partition view")
        return
    tile, part = op.group("ins")[0], op.group("outs")[0]
    assert isinstance(tile.type, Tile) and isinstance(part.type, Part)
    if tile.type.space not in ("vec", "mat", "acc"):
        facts.fault(tile, "store-space", f"the source must be vec, mat or acc, {tile.type.space} found")
    if tile.type.space == "acc" and part.type.element not in STORED_FROM_ACC:
        facts.fault(part, "store-element", f"acc is stored into {', '.join(STORED_FROM_ACC)}, {part.type.element} found")
    atomic = op.attributes.get("atomicType")
    if isinstance(atomic, Enum) and atomic.value == "atomic_add" and part.type.element not in ATOMIC:
        facts.fault(part, "atomic-element", f"atomic_add works on {', '.join(ATOMIC)}, {part.type.element} found")
    _moved(facts, op, part, tile)


def _moved(facts: Facts, op: Op, part: Operand, tile: Operand) -> None:
    """Widths, extents and layouts of a load or store."""
    assert isinstance(part.type, Part) and isinstance(tile.type, Tile)
    widths = ELEMENT_BYTES.get(part.type.element), ELEMENT_BYTES.get(tile.type.element)
    if tile.type.space != "acc" and widths[0] != widths[1]:
        facts.fault(op, "element-width", f"element widths of source and destination differ: {part.type.element} in memory, "
                    f"{tile.type.element} in the tile")
    sizes = region(facts, part)
    for dim, size in enumerate(sizes[:-2]):
        if size != 1:
            facts.fault(part, "region-rank", f"dim {dim} of the region must be 1: a tile has two dims")
    rectangle: tuple[Known, Known] = (sizes[-2] if len(sizes) > 1 else 1, sizes[-1])
    extent = valid(facts, tile)
    if not (same(rectangle[0], extent[0]) and same(rectangle[1], extent[1])):
        counts = [_count(rectangle), _count(extent)]
        if None not in counts and counts[0] != counts[1]:
            text = f"static element counts differ: region {counts[0]}, valid extent {counts[1]}"
        else:
            text = f"the region and the valid extent of the tile differ: {shown_both(rectangle, extent)}"
        facts.fault(op, "region-extent", text)
    _direction(facts, op, part, tile)


def _count(extent: tuple[Known, Known]) -> int | None:
    rows, cols = extent
    return rows * cols if isinstance(rows, int) and isinstance(cols, int) else None


def _direction(facts: Facts, op: Op, part: Operand, tile: Operand) -> None:
    source = facts.source(part)
    view = facts.source(source.group("view")[0]) if source and source.name == "pto.partition_view" else None
    layout = layout_of(facts, view) if view and view.name == "pto.make_tensor_view" else None
    assert isinstance(tile.type, Tile)
    column = tile.type.blayout == "col_major" and not is_boxed(tile.type)
    if layout in ("nd", "dn") and column != (layout == "dn"):
        kind = "col_major" if column else "boxed" if is_boxed(tile.type) else "row_major"
        wanted = "col_major" if layout == "dn" else "row_major or boxed"
        facts.fault(op, "view-direction", f"{'an nd' if layout == 'nd' else 'a dn'} view goes with a {wanted} tile, {kind} found")


def _get(facts: Facts, op: Op) -> None:
    ins = op.group("ins")
    tile = tile_of(ins[0]) if len(ins) == 2 else None
    if tile is None or ins[1].type != INDEX:
        wrong_operands(facts, op, "a tile and an index")
        return
    if not op.result_types or op.result_types[0] != Scalar(signless(tile.element)):
        facts.fault(op, "scalar-element", f"the result must be the tile's element type {signless(tile.element)}")
    _element_bounds(facts, ins[1], tile)


def signless(element: str) -> str:
    """The type of a scalar that goes with the elements of a tile."""
    return element.removeprefix("u")


def _set(facts: Facts, op: Op) -> None:
    ins, outs = op.group("ins"), op.group("outs")
    tile = tile_of(outs[0]) if len(ins) == 2 and len(outs) == 1 else None
    if tile is None or ins[0].type != INDEX:
        wrong_operands(facts, op, "an index and a value, and changes a tile")
        return
    if ins[1].type != Scalar(signless(tile.element)):
        facts.fault(ins[1], "scalar-element", f"the value must be the tile's element type {signless(tile.element)}, {ins[1].type} found")
    _element_bounds(facts, ins[0], tile)


def _element_bounds(facts: Facts, operand: Operand, tile: Tile) -> None:
    value = facts.integer(operand)
    if value is not None and not 0 <= value < tile.rows * tile.cols:
        facts.fault(operand, "bounds", f"element {value} is outside a tile of {tile.rows * tile.cols}")


def _print(facts: Facts, op: Op) -> None:
    wanted = Tile if op.name == "pto.tprint" else Scalar
    if len(op.group("ins")) != 1 or op.group("outs") or not isinstance(op.group("ins")[0].type, wanted):
        wrong_operands(facts, op, "one tile" if wanted is Tile else "a text and one scalar")


