"""The valid extent of each tile where it is used: from its type, its allocation, set_validshape.

Afterwards `valid(facts, operand)` says what is known; the rules of the ops compare these.
"""

from __future__ import annotations

from typing import Literal, Union

from facts import Definition, Extent, Facts
from flow import Analysis, follow
from model import Function, Op, Operand, Part, Tile, View

# None: not known here. "lost": a treshape does not keep a run-time extent.
Known = Union[Extent, Literal["lost"], None]
State = dict[Definition, tuple[Known, Known]]


def check(facts: Facts) -> None:
    for function in facts.module.functions:
        follow(_Extents(facts), function)


def valid(facts: Facts, operand: Operand) -> tuple[Known, Known]:
    """Valid rows and columns of a tile where this op uses it."""
    found = facts.extents.get(id(operand), (None, None))
    return found  # type: ignore[return-value]


def region(facts: Facts, operand: Operand) -> list[Known]:
    """The sizes of a view or partition: numbers, or the values given for `?`."""
    type_ = operand.type
    if not isinstance(type_, (View, Part)):
        return []
    source = facts.source(operand)
    sizes = source.group("sizes") or source.group("shape") if source else ()
    known: list[Known] = list(type_.dims)
    for position, dim in enumerate(type_.dims):
        if dim is None and position < len(sizes):
            known[position] = facts.extent(sizes[position])
    return known


def same(left: Known, right: Known) -> bool:
    """False when the two are known and differ."""
    return left is None or right is None or left == right


def shown(extent: tuple[Known, ...] | list[Known]) -> str:
    return "x".join(str(one) if isinstance(one, int) else "?" for one in extent)


def shown_both(left: tuple[Known, ...], right: tuple[Known, ...]) -> str:
    """Two extents that differ, also where they are `?` for two values."""
    if shown(left) == shown(right):
        return f"{shown(left)} of different values"
    return f"{shown(left)} and {shown(right)}"


class _Extents(Analysis[State]):
    def start(self, function: Function) -> State:
        return {}

    def copy(self, state: State) -> State:
        return dict(state)

    def join(self, left: State, right: State) -> State:
        joined: State = {}
        for tile in left.keys() | right.keys():
            a, b = left.get(tile), right.get(tile)
            # What is known on one side only was defined there, and is not visible afterwards.
            joined[tile] = a or b or (None, None) if a is None or b is None else (
                a[0] if a[0] == b[0] else None, a[1] if a[1] == b[1] else None)
        return joined

    def join_branches(self, op: Op, left: State, right: State) -> State:
        joined = self.join(left, right)
        for tile in left.keys() & right.keys():
            rows, cols = (self._either(op, left[tile][i], right[tile][i]) for i in (0, 1))
            joined[tile] = (rows, cols)
        return joined

    def _either(self, op: Op, left: Known, right: Known) -> Known:
        """An extent that the two branches leave different, as a result of the scf.if may name it."""
        if left == right:
            return left
        numbers = [self._number(one) for one in (left, right)]
        if numbers[0] is None or numbers[1] is None:
            return None
        return ("value", self.facts.either(op, numbers[0], numbers[1]))

    def _number(self, extent: Known) -> int | None:
        if isinstance(extent, int):
            return self.facts.constant_number(extent)
        return extent[1] if isinstance(extent, tuple) else None

    def visit(self, op: Op, state: State) -> None:
        for operand in op.operands:
            if isinstance(operand.type, Tile):
                self._use(op, operand, state)
        for result in self.facts.results[id(op)]:
            if isinstance(result.type, Tile):
                state[result] = self._made(op, result.type, state)
        if op.name == "pto.set_validshape":
            tile = self.facts.definition(op.group("tile")[0])
            if tile:
                state[tile] = (self.facts.extent(op.group("rows")[0]), self.facts.extent(op.group("columns")[0]))
        if op.name == "func.call":
            for operand in op.operands:
                tile = self.facts.definition(operand)
                if tile and isinstance(tile.type, Tile):
                    state[tile] = (None, None)

    def _use(self, op: Op, operand: Operand, state: State) -> None:
        tile = operand.type
        definition = self.facts.definition(operand)
        assert isinstance(tile, Tile)
        dynamic = state.get(definition, (None, None)) if definition else (None, None)
        known = tuple(dynamic[i] if dim is None else dim for i, dim in enumerate(tile.valid))
        self.facts.extents[id(operand)] = known
        if "lost" in known and op.name not in ("pto.set_validshape", "pto.treshape"):
            self.facts.fault(operand, "extent-lost", f"`{operand.name}` has no valid extent: a treshape loses a run-time one; "
                             "set_validshape it first")

    def _made(self, op: Op, type_: Tile, state: State) -> tuple[Known, Known]:
        """The extent where the type of a result says `?`."""
        if op.name == "pto.alloc_tile":
            row, col = op.group("valid_row"), op.group("valid_col")
            return (self.facts.extent(row[0]) if row else None, self.facts.extent(col[0]) if col else None)
        if op.group("valid") and len(op.group("valid")) == 2:
            return (self.facts.extent(op.group("valid")[0]), self.facts.extent(op.group("valid")[1]))
        if op.name == "pto.bitcast":
            source = op.group("source")[0]
            if isinstance(source.type, Tile) and (source.type.rows, source.type.cols) == (type_.rows, type_.cols):
                return self.facts.extents.get(id(source), (None, None))  # type: ignore[return-value]
        return ("lost", "lost") if op.name in ("pto.treshape", "pto.bitcast") else (None, None)
