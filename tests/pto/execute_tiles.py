"""Tiles as bytes in the memories of a core: layouts, views of the same bytes, and what has been written.

Every byte carries a mark: never written, data, or part of a packed mask. Reading a byte with the wrong mark is a
Problem, so a tile that was not filled, a slot of a pipe that was freed, scratch read as data and a mask read as
numbers are all found where they are read, not where the wrong result comes out.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Optional

import ml_dtypes
import numpy as np

from execute_fault import Problem
from model import ELEMENT_BYTES, Tile

Array = Any

# The on-core memories of the architecture a3, in bytes. The assembler lets bias go up to 64 KiB; the hardware has 1.
CAPACITY = {"vec": 192 << 10, "mat": 512 << 10, "left": 64 << 10, "right": 64 << 10, "acc": 128 << 10, "bias": 1 << 10}
SPACES_OF = {"vector": ("vec",), "cube": ("mat", "left", "right", "acc", "bias")}
ALIGNMENT = {"vec": 32, "mat": 32, "bias": 32, "left": 512, "right": 512, "acc": 512}

NUMPY: dict[str, Any] = {
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32,
}
FLOATS = ("f16", "bf16", "f32")
UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
POISON = 0xAB

UNWRITTEN, DATA, MASK = 0, 1, 2
MARK_NAMES = {UNWRITTEN: "which was never written", DATA: "which is data, not a mask", MASK: "which is part of a packed mask"}


def poison_value(element: str) -> Array:
    """What an op gives where its result is undefined: NaN, or 0xAB in every byte."""
    dtype = np.dtype(NUMPY[element])
    if element in FLOATS:
        return dtype.type(np.nan)
    return np.frombuffer(bytes([POISON] * dtype.itemsize), dtype)[0]


@dataclass(eq=False)
class Arrival:
    """A load under way to the bytes `low` up to, and without, `high`."""

    low: int
    high: int
    finish: Callable[[], None]


class Memory:
    """Bytes of a core, the mark of each, and the loads that are under way to them, which end when somebody looks."""

    def __init__(self, size: int, name: str):
        self.size, self.name = size, name
        self.arriving: list[Arrival] = []
        padded = -(-size // 512) * 512
        self.data = np.full(padded, POISON, np.uint8)
        self.marks = np.zeros(padded, np.uint8)

    def settle(self, low: int, high: int) -> None:
        """Ends the loads to bytes in this range."""
        for one in [one for one in self.arriving if one.low < high and low < one.high]:
            if one in self.arriving:
                self.arriving.remove(one)
                one.finish()


@functools.lru_cache(maxsize=None)
def places_in(tile: Tile) -> Array:
    """The byte offset of each element in a tile of this type, by row and column."""
    size = ELEMENT_BYTES[tile.element]
    if not size:
        raise Problem("tile-type", f"elements of type {tile.element} have no size in bytes")
    rows, cols = np.indices((tile.rows, tile.cols))
    if tile.slayout == "none_box":
        order = rows * tile.cols + cols if tile.blayout == "row_major" else cols * tile.rows + rows
        return order * size
    if tile.fractal == 1024:
        box_rows = box_cols = 16
    elif tile.fractal == 512:
        box_rows, box_cols = (16, 32 // size) if tile.slayout == "row_major" else (32 // size, 16)
    else:
        raise Problem("tile-type", f"boxes of fractal size {tile.fractal} are not known for a boxed tile")
    if tile.rows % box_rows or tile.cols % box_cols:
        raise Problem("tile-type", f"{tile} is not a whole number of boxes of {box_rows} x {box_cols} elements")
    down, across = tile.rows // box_rows, tile.cols // box_cols
    box_row, box_col = rows // box_rows, cols // box_cols
    box = box_row * across + box_col if tile.blayout == "row_major" else box_col * down + box_row
    row, col = rows % box_rows, cols % box_cols
    inside = row * box_cols + col if tile.slayout == "row_major" else col * box_rows + row
    return (box * (box_rows * box_cols) + inside) * size


class TileValue:
    """A tile: a type, the bytes it stands for, and its valid extent, which `set_validshape` changes in place."""

    def __init__(self, type_: Tile, memory: Memory, places: Array, valid: list[Optional[int]], name: str, whole: bool = True):
        self.type, self.memory, self.places, self.valid, self.name = type_, memory, places, valid, name
        self.whole = whole  # false for a part of another tile, whose rows are not next to each other

    @property
    def element(self) -> str:
        return self.type.element

    @property
    def size(self) -> int:
        return ELEMENT_BYTES[self.type.element]

    @property
    def extent(self) -> tuple[int, int]:
        rows, cols = self.valid
        if rows is None or cols is None:
            raise Problem("extent", f"the valid extent of {self.name} is not known: call pto.set_validshape first")
        return rows, cols

    def valid_places(self) -> Array:
        rows, cols = self.extent
        return self.places[:rows, :cols]

    def settle(self, places: Array) -> None:
        if self.memory.arriving and places.size:
            self.memory.settle(int(places.min()), int(places.max()) + self.size)

    def demand(self, places: Array, mark: int, first: tuple[int, int] = (0, 0)) -> None:
        """Raises unless every byte at `places` carries `mark`."""
        self.settle(places)
        width = UNSIGNED[self.size]
        wanted = int.from_bytes(bytes([mark] * self.size), "little")
        wrong = self.memory.marks.view(width)[places // self.size] != wanted
        if wrong.any():
            row, col = (int(k) for k in np.argwhere(wrong)[0])
            start = places[row, col]
            marks = self.memory.marks[start : start + self.size]
            found = next(int(one) for one in marks if one != mark)
            code = {UNWRITTEN: "never-written", DATA: "mask", MASK: "mask"}[found]
            raise Problem(code, f"reads element [{row + first[0]}, {col + first[1]}] of {self.name}, {MARK_NAMES[found]}")

    def byte_marks(self, places: Array) -> Array:
        """By row, column and byte."""
        self.settle(places)
        return self.memory.marks[places[..., None] + np.arange(self.size)]

    def mark_bytes(self, places: Array, marks: Array) -> None:
        self.memory.marks[places[..., None] + np.arange(self.size)] = marks

    def take(self, places: Array) -> Array:
        return self.memory.data.view(NUMPY[self.element])[places // self.size]

    def read(self) -> Array:
        """The elements of the valid extent."""
        places = self.valid_places()
        self.demand(places, DATA)
        return self.take(places)

    def read_part(self, row: int, col: int, rows: int, cols: int) -> Array:
        """A part of the valid extent."""
        valid = self.extent
        if row < 0 or col < 0 or row + rows > valid[0] or col + cols > valid[1]:
            raise Problem(
                "extent",
                f"reads rows {row}..{row + rows - 1} and columns {col}..{col + cols - 1} of {self.name}, "
                f"whose valid extent is {valid[0]}x{valid[1]}",
            )
        places = self.places[row : row + rows, col : col + cols]
        self.demand(places, DATA, (row, col))
        return self.take(places)

    def put(self, places: Array, values: Array, mark: int = DATA) -> None:
        self.settle(places)
        self.memory.data.view(NUMPY[self.element])[places // self.size] = values
        filled = int.from_bytes(bytes([mark] * self.size), "little")
        self.memory.marks.view(UNSIGNED[self.size])[places // self.size] = filled

    def write(self, values: Array, mark: int = DATA) -> None:
        """Fills the valid extent."""
        rows, cols = self.extent
        if values.shape != (rows, cols):
            raise Problem(
                "extent",
                f"the result has {values.shape[0]}x{values.shape[1]} elements, the valid extent of {self.name} is {rows}x{cols}",
            )
        self.put(self.valid_places(), values, mark)

    def forget(self) -> None:
        """All its bytes become unwritten."""
        self.put(self.places, np.full(self.places.shape, poison_value(self.element)), UNWRITTEN)

    def bytes_of(self) -> set[int]:
        return set((self.places[..., None] + np.arange(self.size)).ravel().tolist())

    def overlaps(self, other: TileValue) -> bool:
        if self.memory is not other.memory:
            return False
        if self.places.max() + self.size <= other.places.min() or other.places.max() + other.size <= self.places.min():
            return False
        return bool(self.bytes_of() & other.bytes_of())

    def same_place(self, other: TileValue) -> bool:
        return (
            self.memory is other.memory
            and self.size == other.size
            and self.places.shape == other.places.shape
            and bool((self.places == other.places).all())
        )


def view_as(source: TileValue, type_: Tile, name: str) -> TileValue:
    """The same bytes as a tile of another shape, layout or element type."""
    if not source.whole:
        raise Problem("tile-view", f"{source.name} is a part of a tile and cannot be reshaped")
    if type_.space != source.type.space:
        raise Problem("tile-view", f"a view of {source.name} stays in {source.type.space}, {type_.space} given")
    if type_.bytes != source.type.bytes:
        raise Problem("tile-view", f"total bytes differ: {source.name} has {source.type.bytes}, the view {type_.bytes}")
    if (type_.slayout == "none_box") != (source.type.slayout == "none_box"):
        raise Problem("tile-view", f"{source.name} and its view must both be boxed or both not")
    start = int(source.places.min())
    return TileValue(type_, source.memory, start + places_in(type_), list(type_.valid), name)


def part_of(source: TileValue, row: int, col: int, type_: Tile, name: str) -> TileValue:
    """A rectangle of a tile, in place."""
    rows, cols = type_.rows, type_.cols
    if row < 0 or col < 0 or row + rows > source.type.rows or col + cols > source.type.cols:
        raise Problem(
            "tile-view",
            f"rows {row}..{row + rows - 1} and columns {col}..{col + cols - 1} lie outside {source.name} "
            f"of {source.type.rows}x{source.type.cols}",
        )
    same = ("space", "element", "blayout", "slayout", "fractal")
    if any(getattr(type_, key) != getattr(source.type, key) for key in same):
        raise Problem("tile-view", f"a part of {source.name} keeps its space, element type and layout")
    places = source.places[row : row + rows, col : col + cols]
    if int(places[0, 0]) % 32:
        raise Problem("alignment", f"the part of {source.name} begins at byte {int(places[0, 0])}, not a multiple of 32")
    return TileValue(type_, source.memory, places, list(type_.valid), name, whole=False)
