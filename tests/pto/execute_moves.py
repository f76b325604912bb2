"""Pointers, views, tiles, and what moves data between global memory and the memories of a core."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from execute_core import Core, rule, steps, Steps
from execute_fault import Problem
from execute_scalars import name_of, rounded, scalar_for
from execute_tiles import ALIGNMENT, CAPACITY, DATA, FLOATS, MASK, NUMPY, SPACES_OF, Memory, TileValue, part_of, places_in, view_as
from model import ELEMENT_BYTES, Enum, Op, Part, Ptr, Tile, Type, View

Array = Any

# -- pointers and scalars in global memory ----------------------------------------------------------------------------


def element_of(type_: Type | None) -> str:
    if not isinstance(type_, (Ptr, View, Part)) or type_.element not in NUMPY:
        raise Problem("type", f"expected a pointer or view of elements in memory, found {type_}")
    return type_.element


@rule("addptr")
def add_to_pointer(core: Core, op: Op) -> int:
    return int(core.one(op, "pointer")) + int(core.one(op, "offset")) * ELEMENT_BYTES[element_of(op.result_types[0])]


@rule("castptr", "inttoptr")
def cast_pointer(core: Core, op: Op) -> int:
    return int(core.one(op, "source"))


@steps("load_scalar")
def load_scalar(core: Core, op: Op) -> Steps:
    element = element_of(op.group("pointer")[0].type)
    address = core.one(op, "pointer") + core.one(op, "index") * ELEMENT_BYTES[element]
    value = core.port.load_scalar(address, element)
    return float(value) if element in FLOATS else int(value)
    yield  # a step without waiting


@steps("store_scalar")
def store_scalar(core: Core, op: Op) -> Steps:
    element = element_of(op.group("pointer")[0].type)
    address = core.one(op, "pointer") + core.one(op, "index") * ELEMENT_BYTES[element]
    core.port.store_scalar(address, element, scalar_for(core.one(op, "value"), op.group("value")[0].type, element))
    return None
    yield


# -- views ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ViewValue:
    address: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    layout: str
    element: str

    def addresses(self) -> Array:
        """Of the elements, in the order of the indices; the leading dimensions, all 1, are left out."""
        if any(size != 1 for size in self.sizes[:-2]):
            raise Problem("view", f"a region of {'x'.join(map(str, self.sizes))} has more than two dimensions of more than 1")
        rows, cols = ((1, 1) + self.sizes)[-2:]
        row, col = ((0, 0) + self.strides)[-2:]
        if self.layout == "nd" and cols > 1 and col != 1:
            raise Problem("layout", f"an nd region has columns next to each other, the stride is {col}")
        if self.layout == "dn" and rows > 1 and row != 1:
            raise Problem("layout", f"a dn region has rows next to each other, the stride is {row}")
        index = np.arange(rows, dtype=np.int64)[:, None] * row + np.arange(cols, dtype=np.int64)[None, :] * col
        return self.address + index * ELEMENT_BYTES[self.element]


def check_dims(type_: View | Part, sizes: list[int]) -> None:
    if len(sizes) != len(type_.dims) or not 1 <= len(sizes) <= 5:
        raise Problem("view", f"{len(sizes)} sizes for {type_}, expected 1 to 5, as many as the type has")
    for k, (dim, size) in enumerate(zip(type_.dims, sizes)):
        if size < 0 or (dim is not None and dim != size):
            raise Problem("view", f"size {size} of dimension {k} of {type_}")


@rule("make_tensor_view")
def make_tensor_view(core: Core, op: Op) -> ViewValue:
    shape, strides = core.values(op, "shape"), core.values(op, "strides")
    type_ = op.result_types[0]
    if not isinstance(type_, View):
        raise Problem("type", f"expected a tensor view, found {type_}")
    check_dims(type_, shape)
    if len(strides) != len(shape):
        raise Problem("view", f"{len(strides)} strides for {len(shape)} sizes")
    layout = op.attributes.get("layout", Enum("layout", "nd", True))
    return ViewValue(core.one(op, "pointer"), tuple(shape), tuple(strides), layout.value, type_.element)  # type: ignore[union-attr]


@rule("partition_view")
def partition_view(core: Core, op: Op) -> ViewValue:
    view: ViewValue = core.one(op, "view")
    offsets, sizes = core.values(op, "offsets"), core.values(op, "sizes")
    type_ = op.result_types[0]
    if not isinstance(type_, Part):
        raise Problem("type", f"expected a partition view, found {type_}")
    check_dims(type_, sizes)
    if len(offsets) != len(sizes) or len(sizes) != len(view.sizes):
        raise Problem("view", f"{len(offsets)} offsets and {len(sizes)} sizes for a view of {len(view.sizes)} dimensions")
    for k, (offset, size, whole) in enumerate(zip(offsets, sizes, view.sizes)):
        if offset < 0 or offset + size > whole:
            raise Problem("view", f"elements {offset}..{offset + size - 1} of dimension {k}, which has {whole}")
    start = sum(offset * stride for offset, stride in zip(offsets, view.strides))
    address = view.address + start * ELEMENT_BYTES[view.element]
    return ViewValue(address, tuple(sizes), view.strides, view.layout, view.element)


# -- tiles ------------------------------------------------------------------------------------------------------------


def valid_of(type_: Tile, rows: list[int], cols: list[int], what: str) -> list[int | None]:
    """The static extents of a type, and the run-time ones that are given for the others."""
    valid: list[int | None] = []
    for dim, given, whole in zip(type_.valid, (rows, cols), (type_.rows, type_.cols)):
        if (dim is None) != bool(given):
            raise Problem("extent", f"{what} takes a run-time extent exactly where the type {type_} says `?`")
        extent = given[0] if given else dim
        if extent is not None and not 0 <= extent <= whole:
            raise Problem("extent", f"a valid extent of {extent} in a tile of {type_.rows}x{type_.cols}")
        valid.append(extent)
    return valid


def tile_type(op: Op) -> Tile:
    type_ = op.result_types[0]
    if not isinstance(type_, Tile):
        raise Problem("type", f"{op.name} gives a tile, not {type_}")
    return type_


@rule("alloc_tile")
def alloc_tile(core: Core, op: Op) -> TileValue:
    type_ = tile_type(op)
    if type_.space not in SPACES_OF[core.kind]:
        raise Problem("space", f"a {core.kind} core has no {type_.space} memory")
    if type_.element not in NUMPY:
        raise Problem("tile-type", f"elements of type {type_.element}")
    if type_.slayout == "none_box":
        line = (type_.cols if type_.blayout == "row_major" else type_.rows) * ELEMENT_BYTES[type_.element]
        if line % 32:
            raise Problem("alignment", f"a {type_.blayout} line of {type_} has {line} bytes, not a multiple of 32")
    valid = valid_of(type_, core.values(op, "valid_row"), core.values(op, "valid_col"), "pto.alloc_tile")
    address = core.values(op, "addr")
    if bool(address) != (core.launch.level == 3):
        raise Problem("address", f"at level{core.launch.level} a tile has {'an' if core.launch.level == 3 else 'no'} address")
    if not address:
        if type_.bytes > CAPACITY[type_.space]:
            raise Problem("capacity", f"{type_} has {type_.bytes} bytes, {type_.space} has {CAPACITY[type_.space]}")
        return TileValue(type_, Memory(type_.bytes, type_.space), places_in(type_), valid, op.results[0])
    start = address[0]
    if start < 0 or start % ALIGNMENT[type_.space]:
        raise Problem("address", f"address {start} in {type_.space}, expected a multiple of {ALIGNMENT[type_.space]}")
    if start + type_.bytes > CAPACITY[type_.space]:
        raise Problem("capacity", f"bytes {start}..{start + type_.bytes - 1} of {type_.space}, which has {CAPACITY[type_.space]}")
    return TileValue(type_, core.memories[type_.space], start + places_in(type_), valid, op.results[0])


@rule("set_validshape")
def set_validshape(core: Core, op: Op) -> None:
    tile: TileValue = core.one(op, "tile")
    if tile.type.valid != (None, None):
        raise Problem("extent", f"{op.group('tile')[0].name} has the static extent {tile.type}")
    tile.valid = valid_of(tile.type, [core.one(op, "rows")], [core.one(op, "columns")], "pto.set_validshape")


@rule("treshape", "bitcast")
def reshape(core: Core, op: Op) -> TileValue:
    return view_as(core.one(op, "source"), tile_type(op), op.results[0])


@rule("subview")
def subview(core: Core, op: Op) -> TileValue:
    type_ = tile_type(op)
    if op.attributes["sizes"] != (type_.rows, type_.cols):
        raise Problem("tile-view", f"sizes {op.attributes['sizes']} for a tile of {type_.rows}x{type_.cols}")
    row, col = core.values(op, "offsets")
    part = part_of(core.one(op, "source"), row, col, type_, op.results[0])
    given = core.values(op, "valid")
    if given:
        part.valid = [dim if dim is not None else extent for dim, extent in zip(type_.valid, given)]
        if any(extent != now or not 0 <= extent <= whole
               for extent, now, whole in zip(given, part.valid, (type_.rows, type_.cols))):
            raise Problem("extent", f"valid extents {given} for {type_}")
    return part


def flat_index(tile: TileValue, number: int) -> tuple[int, int]:
    major, minor = (tile.type.cols, False) if tile.type.blayout == "row_major" else (tile.type.rows, True)
    row, col = divmod(number, major)[:: -1 if minor else 1]
    rows, cols = tile.extent
    if number < 0 or row >= rows or col >= cols:
        raise Problem("extent", f"element {number} lies outside the valid extent {rows}x{cols} of {tile.name}")
    return row, col


@steps("tgetval")
def get_value(core: Core, op: Op) -> Steps:
    tile, number = core.values(op, "ins")
    row, col = flat_index(tile, number)
    value = tile.read_part(row, col, 1, 1)[0, 0]
    if name_of(op.result_types[0]) not in (tile.element, tile.element[1:]):
        raise Problem("type", f"an element of {tile.type} is no {op.result_types[0]}")
    return float(value) if tile.element in FLOATS else int(value)
    yield


@rule("tsetval")
def set_value(core: Core, op: Op) -> None:
    number, value = core.values(op, "ins")
    tile: TileValue = core.one(op, "outs")
    row, col = flat_index(tile, number)
    tile.put(tile.places[row : row + 1, col : col + 1], scalar_for(value, op.group("ins")[1].type, tile.element))


# -- load and store ---------------------------------------------------------------------------------------------------


def check_layout(region: ViewValue, tile: TileValue) -> None:
    if tile.type.slayout != "none_box":
        wanted = "nd"
    else:
        wanted = "nd" if tile.type.blayout == "row_major" else "dn"
    if region.layout != wanted:
        raise Problem("layout", f"a {region.layout} region and {tile.name}, which takes {wanted}")


def check_region(region: ViewValue, tile: TileValue) -> Array:
    """The addresses of the region; its sizes must be the valid extent of the tile."""
    addresses = region.addresses()
    if addresses.shape != tile.extent:
        rows, cols = tile.extent
        raise Problem(
            "extent", f"a region of {addresses.shape[0]}x{addresses.shape[1]} and {tile.name}, whose valid extent is {rows}x{cols}"
        )
    return addresses


@steps("tload")
def load(core: Core, op: Op) -> Steps:
    region, tile = core.one(op, "ins"), core.one(op, "outs")
    if not isinstance(region, ViewValue) or not isinstance(tile, TileValue) or tile.type.space not in ("vec", "mat"):
        raise Problem("operands", "pto.tload takes a partition view and a vec or mat tile")
    if ELEMENT_BYTES[region.element] != tile.size:
        raise Problem("type", f"elements of {region.element} loaded as {tile.element}")
    check_layout(region, tile)
    addresses = check_region(region, tile)
    places = tile.valid_places()

    def put(values: Array) -> None:
        tile.put(places, values.view(NUMPY[tile.element]))

    if addresses.size and core.machine.chance.random() < core.machine.profile.late_load:
        core.port.load_later(addresses, region.element, tile.memory, int(places.min()), int(places.max()) + tile.size, put)
    else:
        put(core.port.load(addresses, region.element))
    return None
    yield


ACC_TO = {"f32": ("f32", "f16", "bf16", "i32"), "i32": ("i32", "f32", "f16", "bf16")}
ATOMIC = ("f32", "f16", "bf16", "i32", "i16")


def atomic_of(op: Op, element: str) -> bool:
    kind = op.attributes.get("atomicType")
    if kind is None or (isinstance(kind, Enum) and kind.value == "atomic_none"):
        return False
    if not isinstance(kind, Enum) or kind.value != "atomic_add":
        raise Problem("operands", f"unknown atomicType {kind}")
    if element not in ATOMIC:
        raise Problem("type", f"no atomic add of {element}")
    return True


def cast(values: Array, element: str) -> Array:
    """As a store from acc casts: to the nearest, ties to even."""
    with np.errstate(all="ignore"):
        if element in FLOATS:
            return values.astype(np.float32).astype(NUMPY[element])
        return np.rint(values).astype(NUMPY[element])


@steps("tstore")
def store(core: Core, op: Op) -> Steps:
    tile, region = core.one(op, "ins"), core.one(op, "outs")
    if not isinstance(region, ViewValue) or not isinstance(tile, TileValue) or tile.type.space not in ("vec", "mat", "acc"):
        raise Problem("operands", "pto.tstore takes a vec, mat or acc tile and a partition view")
    addresses = check_region(region, tile)
    values = tile.read()
    if tile.type.space == "acc":
        if region.layout != "nd":
            raise Problem("layout", f"a {region.layout} region and {tile.name}, which takes nd")
        if region.element not in ACC_TO.get(tile.element, ()):
            raise Problem("type", f"acc elements of {tile.element} stored as {region.element}")
        values = cast(values, region.element)
    else:
        check_layout(region, tile)
        if ELEMENT_BYTES[region.element] != tile.size:
            raise Problem("type", f"elements of {tile.element} stored as {region.element}")
        values = np.ascontiguousarray(values).view(NUMPY[region.element])
    core.port.store(addresses, region.element, values, add=atomic_of(op, region.element))
    return None
    yield


# -- between tiles ----------------------------------------------------------------------------------------------------

CUBE_LAYOUT = {
    "mat": [("col_major", "row_major", 512), ("row_major", "col_major", 512)],
    "left": [("row_major", "row_major", 512)],
    "right": [("row_major", "col_major", 512)],
    "acc": [("col_major", "row_major", 1024)],
}


def check_cube_layout(tile: TileValue) -> None:
    found = (tile.type.blayout, tile.type.slayout, tile.type.fractal)
    if tile.type.space in CUBE_LAYOUT and found not in CUBE_LAYOUT[tile.type.space]:
        wanted = CUBE_LAYOUT[tile.type.space][0]
        raise Problem(
            "layout",
            f"{tile.name} in {tile.type.space} has blayout {found[0]}, slayout {found[1]}, fractal {found[2]}, "
            f"expected {wanted[0]}, {wanted[1]}, {wanted[2]}",
        )


def check_apart(sources: list[TileValue], target: TileValue, what: str) -> None:
    for source in sources:
        if source.overlaps(target):
            raise Problem("overlap", f"{what}: {source.name} and {target.name} share bytes")


@rule("tmov")
def move(core: Core, op: Op) -> None:
    source, target = core.one(op, "ins"), core.one(op, "outs")
    pair = (source.type.space, target.type.space)
    if not source.whole or not target.whole:
        raise Problem("tile-view", "pto.tmov takes whole tiles, not parts")
    if (source.type.rows, source.type.cols) != (target.type.rows, target.type.cols):
        raise Problem("extent", f"{source.name} and {target.name} have different shapes")
    if source.extent != target.extent:
        raise Problem("extent", f"{source.name} and {target.name} have different valid extents")
    check_apart([source], target, "pto.tmov")
    if pair == ("acc", "mat"):
        check_cube_layout(source)
        check_cube_layout(target)
        if target.element not in ACC_TO.get(source.element, ()) or target.element == "i32" != source.element:
            raise Problem("type", f"acc elements of {source.element} moved as {target.element}")
        target.write(cast(source.read(), target.element))
        return
    if pair == ("mat", "bias"):
        if source.type.slayout != "none_box" or source.type.rows != 1:
            raise Problem("layout", f"{source.name} must be one none_box row to become a bias")
    elif pair in (("mat", "left"), ("mat", "right")):
        check_cube_layout(source)
        check_cube_layout(target)
    elif pair != ("vec", "vec"):
        raise Problem("space", f"no move from {pair[0]} to {pair[1]}")
    if source.element != target.element:
        raise Problem("type", f"{source.name} has elements {source.element}, {target.name} {target.element}")
    places = source.valid_places()
    source.settle(places)
    mark = MASK if pair == ("vec", "vec") and places.size and source.memory.marks[places[0, 0]] == MASK else DATA
    source.demand(places, mark)
    target.write(source.take(places), mark)


EXTRACTED = ("i8", "f16", "bf16", "f32")


@rule("textract")
def extract(core: Core, op: Op) -> None:
    source, row, col = core.values(op, "ins")
    target = core.one(op, "outs")
    if source.element != target.element or source.element not in EXTRACTED:
        raise Problem("type", f"pto.textract from {source.element} to {target.element}")
    pair = (source.type.space, target.type.space)
    if pair in (("mat", "left"), ("mat", "right")):
        check_cube_layout(source)
        check_cube_layout(target)
    elif pair != ("vec", "vec"):
        raise Problem("space", f"no part of a {pair[0]} tile goes to {pair[1]}")
    check_apart([source], target, op.name)
    target.write(source.read_part(row, col, *target.extent))


@rule("tinsert")
def insert(core: Core, op: Op) -> None:
    part, row, col = core.values(op, "ins")
    whole = core.one(op, "outs")
    if part.element != whole.element or part.element not in EXTRACTED:
        raise Problem("type", f"pto.tinsert of {part.element} into {whole.element}")
    if (part.type.space, whole.type.space) != ("vec", "vec"):
        raise Problem("space", f"no insertion from {part.type.space} into {whole.type.space}")
    check_apart([part], whole, op.name)
    rows, cols = part.extent
    if row < 0 or col < 0 or row + rows > whole.type.rows or col + cols > whole.type.cols:
        raise Problem("extent", f"{rows}x{cols} elements at [{row}, {col}] lie outside {whole.name}")
    whole.put(whole.places[row : row + rows, col : col + cols], part.read())


@rule("print")
def print_values(core: Core, op: Op) -> None:
    text = str(op.attributes["format"])
    for value, operand in zip(core.values(op, "ins"), op.group("ins")):
        shown = f"{value:f}" if isinstance(value, float) and math.isfinite(value) else str(value)
        head, mark, tail = text.partition("%")
        text = head + shown + tail.lstrip("-+0123456789.l")[1:] if mark else text + shown
    core.machine.printed.append(f"{core}: {text}")


@rule("tprint")
def print_tile(core: Core, op: Op) -> None:
    tile = core.one(op, "ins")
    core.machine.printed.append(f"{core}: {tile.read().tolist()}")


@rule("set_flag", "wait_flag", "barrier")
def order_pipes(core: Core, op: Op) -> None:
    """The pipes of a core are executed in the order of the text here, so there is nothing to order."""


__all__ = ["ViewValue", "check_apart", "check_cube_layout", "check_region", "cast", "atomic_of", "rounded", "valid_of"]
