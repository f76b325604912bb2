"""What a type may be: elements, alignment, boxes, layouts of each space, valid extents, ranks of views."""

from __future__ import annotations

from facts import Facts, Place
from model import ELEMENT_BYTES, Part, Ptr, Scalar, Tile, Type, View

ELEMENTS = ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "f16", "bf16", "f32")
# Bytes of each space; of bias what the hardware has, the assembler counts 64 KiB.
CAPACITY = {"vec": 192 << 10, "mat": 512 << 10, "left": 64 << 10, "right": 64 << 10, "acc": 128 << 10, "bias": 1 << 10}
# blayout, slayout and fractal of the boxed spaces. A mat tile may also be seen as its transpose.
BOXED = {
    "mat": (("col_major", "row_major", 512), ("row_major", "col_major", 512)),
    "left": (("row_major", "row_major", 512),),
    "right": (("row_major", "col_major", 512),),
    "acc": (("col_major", "row_major", 1024),),
}


def check(facts: Facts) -> None:
    seen: set[Type] = set()

    def look(type_: Type | None, place: Place) -> None:
        if type_ is not None and type_ not in seen:
            seen.add(type_)
            _type(facts, type_, place)

    for function in facts.module.functions:
        for _, type_ in function.parameters:
            look(type_, function)
    for op in facts.all_ops():
        for operand in op.operands:
            look(operand.type, operand)
        for type_ in op.result_types:
            look(type_, op)


def is_boxed(tile: Tile) -> bool:
    return tile.slayout != "none_box"


def _type(facts: Facts, type_: Type, place: Place) -> None:
    if isinstance(type_, (Ptr, View, Part)) and type_.element not in ELEMENTS:
        facts.fault(place, "element", f"memory holds {', '.join(ELEMENTS)}, {type_.element} found")
    if isinstance(type_, (View, Part)):
        if len(type_.dims) > 5:
            facts.fault(place, "view-rank", f"the view cannot be lowered: at most five dims, {len(type_.dims)} found")
        if any(dim == 0 for dim in type_.dims):
            facts.fault(place, "view-empty", f"{type_} has a dim of 0")
    if isinstance(type_, Tile):
        _tile(facts, type_, place)
    if isinstance(type_, Scalar) and type_.name.startswith("ui"):
        facts.fault(place, "scalar-type", f"a scalar has no unsigned type, {type_} found")


def _tile(facts: Facts, tile: Tile, place: Place) -> None:
    if tile.element not in ELEMENTS:
        if ELEMENT_BYTES.get(tile.element, 0) == 0:
            facts.fault(place, "tile-element", f"the element type {tile.element} has no byte size")
        return
    if tile.pad not in (0, 1, 2, 3):
        facts.fault(place, "tile-pad", f"unknown pad {tile.pad}, expected 0 to 3")
    if tile.fractal not in (32, 512, 1024):
        facts.fault(place, "tile-fractal", f"the fractal size must be 32, 512 or 1024, {tile.fractal} found")
        return
    for what, valid, size in (("rows", tile.valid[0], tile.rows), ("columns", tile.valid[1], tile.cols)):
        if size == 0:
            facts.fault(place, "tile-empty", f"{tile} has no {what}")
        if valid is not None and valid > size:
            facts.fault(place, "tile-valid", f"valid {what} ({valid}) exceed the {what} ({size})")
    if is_boxed(tile):
        _boxes(facts, tile, place)
    else:
        bytes_ = ELEMENT_BYTES[tile.element] * (tile.cols if tile.blayout == "row_major" else tile.rows)
        if bytes_ % 32:
            line = "row" if tile.blayout == "row_major" else "column"
            facts.fault(place, "tile-alignment", f"{line} bytes ({bytes_}) are not a multiple of 32")
    _layout(facts, tile, place)
    if tile.bytes > CAPACITY.get(tile.space, tile.bytes):
        facts.fault(place, "capacity", f"a tile of {tile.bytes} bytes overflows {tile.space} ({CAPACITY[tile.space]} bytes): "
                    f"{8 * tile.bytes} bits needed, {8 * CAPACITY[tile.space]} available")


def _boxes(facts: Facts, tile: Tile, place: Place) -> None:
    if tile.fractal == 32:
        facts.fault(place, "tile-fractal", "boxes of fractal 32 have no known use on a3")
        return
    across = 32 // ELEMENT_BYTES[tile.element]
    if tile.fractal == 1024:
        rows, cols = 16, 16
    else:
        rows, cols = (16, across) if tile.slayout == "row_major" else (across, 16)
    for what, size, box in (("rows", tile.rows, rows), ("columns", tile.cols, cols)):
        if size % box and not (what == "rows" and size == 1):
            facts.fault(place, "tile-box", f"{what} of a boxed tile must be a multiple of the box {what} ({box}), {size} found")


def _layout(facts: Facts, tile: Tile, place: Place) -> None:
    found = (tile.blayout, tile.slayout, tile.fractal)
    if tile.space in BOXED and (is_boxed(tile) or tile.space != "mat"):
        if found not in BOXED[tile.space]:
            wanted = " or ".join(f"{b}/{s} with fractal {f}" for b, s, f in BOXED[tile.space])
            facts.fault(place, "layout", f"a tile in {tile.space} is {wanted}, {found[0]}/{found[1]} with fractal {found[2]} found")
    elif is_boxed(tile):
        facts.fault(place, "layout", f"a tile in {tile.space} has no boxes, slayout={tile.slayout} found")
    elif tile.space in ("mat", "bias") and tile.blayout != "row_major":
        facts.fault(place, "layout", f"a tile in {tile.space} without boxes is row_major, {tile.blayout} found")
    elif tile.space == "bias" and tile.rows != 1:
        facts.fault(place, "layout", f"a bias tile has one row, {tile.rows} found")
    elif tile.space == "scaling":
        facts.fault(place, "layout", "no op uses tiles in scaling")
