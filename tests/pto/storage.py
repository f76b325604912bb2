"""Which bytes of on-core memory a tile operand names, and whether two of them can be the same."""

from __future__ import annotations

from dataclasses import dataclass

from facts import Definition, Facts
from model import Op, Operand, Tile


@dataclass(frozen=True)
class Rectangle:
    """Rows and columns of an allocated tile; of all of it when an offset is not known."""

    row: int
    col: int
    rows: int
    cols: int

    def meets(self, other: Rectangle) -> bool:
        return (self.row < other.row + other.rows and other.row < self.row + self.rows
                and self.col < other.col + other.cols and other.col < self.col + self.cols)


def address(facts: Facts, tile: Definition) -> int | None:
    """The constant byte address of an allocated tile at level3."""
    if tile.op is None or tile.op.name != "pto.alloc_tile" or not tile.op.group("addr"):
        return None
    return facts.integer(tile.op.group("addr")[0])


def span(facts: Facts, tile: Definition) -> tuple[str, int, int] | None:
    """Space, first byte and end of an allocated tile at level3."""
    start = address(facts, tile)
    if start is None or not isinstance(tile.type, Tile):
        return None
    return (tile.type.space, start, start + tile.type.bytes)


def rectangle(facts: Facts, operand: Operand) -> Rectangle | None:
    """The part of its root that a tile names; None when it is seen in another shape, or at run-time offsets."""
    found = facts.definition(operand)
    row = col = 0
    size: tuple[int, int] | None = None
    while found and found.op and found.is_result and found.op.name in ("pto.subview", "pto.treshape", "pto.bitcast"):
        step: Op = found.op
        if step.name != "pto.subview" or not isinstance(found.type, Tile):
            return None
        offsets = [facts.integer(one) for one in step.group("offsets")]
        if len(offsets) != 2 or offsets[0] is None or offsets[1] is None:
            return None
        row, col = row + offsets[0], col + offsets[1]
        size = size or (found.type.rows, found.type.cols)
        found = facts.definition(step.group("source")[0])
    if not found or not isinstance(found.type, Tile):
        return None
    return Rectangle(row, col, *(size or (found.type.rows, found.type.cols)))


def overlap(facts: Facts, left: Operand, right: Operand) -> bool:
    """True when the two may share bytes."""
    a, b = facts.root(left), facts.root(right)
    if a is None or b is None:
        return False
    if a is b:
        one, other = rectangle(facts, left), rectangle(facts, right)
        return one is None or other is None or one.meets(other)
    first, second = span(facts, a), span(facts, b)
    return bool(first and second and first[0] == second[0] and first[1] < second[2] and second[1] < first[2])


def is_subview(facts: Facts, operand: Operand) -> bool:
    source = facts.source(operand)
    return source is not None and source.name == "pto.subview"
