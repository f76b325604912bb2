"""On-core memory: addresses by level, capacity, and at level3 tiles that overwrite each other while they live."""

from __future__ import annotations

from dataclasses import dataclass, field

from effects import effects
from facts import Definition, Facts
from flow import Analysis, follow
from model import Enum, Function, Op, Operand, Tile
from rules_types import CAPACITY
from storage import address, span


def check(facts: Facts) -> None:
    for function in facts.module.functions:
        tiles = _allocated(facts, function)
        for tile in tiles:
            _address(facts, tile)
        if facts.level3:
            _buffers(facts, function, tiles)
            follow(_Overwritten(facts, tiles), function)
        else:
            _capacity(facts, function, tiles)


def _allocated(facts: Facts, function: Function) -> list[Definition]:
    found = [value for op in facts.ops(function) if op.name == "pto.alloc_tile" for value in facts.results[id(op)]]
    return [tile for tile in found if isinstance(tile.type, Tile)]


def _address(facts: Facts, tile: Definition) -> None:
    op, type_ = tile.op, tile.type
    assert op and isinstance(type_, Tile)
    given = op.group("addr")
    if not facts.level3:
        if given:
            facts.fault(given[0], "address-level2", "an address is allowed at level3 only")
        return
    if not given:
        facts.fault(op, "address-missing", "an address is required at level3")
        return
    start = address(facts, tile)
    unit = 512 if type_.space in ("left", "right", "acc") else 32
    if start is None:
        facts.fault(given[0], "address-constant", "an address must be a constant: the assembler checks no other")
    elif start < 0:
        facts.fault(given[0], "address-negative", f"the address must not be negative, {start} found")
    elif start % unit:
        facts.fault(given[0], "address-alignment", f"the address must be a multiple of {unit}, {start} found")
    elif type_.space in CAPACITY and start + type_.bytes > CAPACITY[type_.space]:
        facts.fault(given[0], "capacity", f"address {start} + {type_.bytes} bytes exceed the {CAPACITY[type_.space]} bytes "
                    f"of {type_.space}")


def reserved(facts: Facts, function: Function) -> list[tuple[Op, str, int, int]]:
    """Space, first byte and end of the buffers that pipes reserve in a function."""
    found = []
    for op in facts.ops(function):
        location, base, size = (op.attributes.get(name) for name in ("location", "base", "size"))
        if op.name == "pto.reserve_buffer" and isinstance(location, Enum) and isinstance(size, int):
            start = base if isinstance(base, int) else 0
            found.append((op, location.value, start, start + size))
    return found


def _buffers(facts: Facts, function: Function, tiles: list[Definition]) -> None:
    buffers = reserved(facts, function)
    for position, (op, space, start, end) in enumerate(buffers):
        for other, other_space, other_start, other_end in buffers[:position]:
            if space == other_space and start < other_end and other_start < end:
                facts.fault(op, "overlap", f"the buffer shares bytes with `{other.attributes.get('name')}`")
    for tile in tiles:
        taken = span(facts, tile)
        for op, space, start, end in buffers:
            if taken and taken[0] == space and taken[1] < end and start < taken[2] and tile.op:
                facts.fault(tile.op, "overlap", f"`{tile.name}` at {taken[1]} shares bytes with the pipe buffer "
                            f"`{op.attributes.get('name')}` ({start} to {end})")


def _capacity(facts: Facts, function: Function, tiles: list[Definition]) -> None:
    """What lives at the same time must fit, however the assembler plans it."""
    lives = _lives(facts, function, set(tiles))
    fixed: dict[str, int] = {}
    for _, space, start, end in reserved(facts, function):
        fixed[space] = fixed.get(space, 0) + end - start
    for space, limit in CAPACITY.items():
        changes: list[tuple[int, int, Definition]] = []
        for tile, (first, last) in lives.items():
            assert isinstance(tile.type, Tile)
            if tile.type.space == space and tile.type.bytes <= limit:  # a larger one is reported with its type
                changes += [(first, tile.type.bytes, tile), (last + 1, -tile.type.bytes, tile)]
        total = fixed.get(space, 0)
        for _, bytes_, tile in sorted(changes, key=lambda change: change[:2]):
            total += bytes_
            if total > limit:
                facts.fault(tile.op or function, "capacity", f"{space} overflows with `{tile.name}`: {8 * total} bits needed, "
                            f"{8 * limit} available")
                break


def _lives(facts: Facts, function: Function, tiles: set[Definition]) -> dict[Definition, tuple[int, int]]:
    """First and last op of each tile; over the whole loop where its content goes from round to round."""
    position = {id(op): number for number, op in enumerate(facts.ops(function))}
    last_inside: dict[int, int] = {}
    touched: dict[Definition, list[tuple[int, Op, bool]]] = {}
    for op in facts.ops(function):
        parent: Op | None = op
        while parent is not None:
            last_inside[id(parent)] = position[id(op)]
            parent = facts.parents[id(parent)]
        done = effects(facts, op)
        written = {id(operand) for operand in done.writes + done.scratch}
        for operand in op.operands:
            root = facts.root(operand)
            if root in tiles and root is not None:
                touched.setdefault(root, []).append((position[id(op)], op, id(operand) not in written))
    lives: dict[Definition, tuple[int, int]] = {}
    for tile, uses in touched.items():
        first, last = uses[0][0], uses[-1][0]
        seen: set[int] = set()
        for _, op, reads in uses:
            loop = facts.parents[id(op)]
            while loop is not None and tile.op is not None and not _inside(facts, tile.op, loop):
                if id(loop) not in seen and loop.name in ("scf.for", "scf.while"):
                    seen.add(id(loop))
                    if reads:
                        first, last = min(first, position[id(loop)]), max(last, last_inside[id(loop)])
                loop = facts.parents[id(loop)]
        lives[tile] = (first, last)
    return lives


def _inside(facts: Facts, op: Op, outer: Op) -> bool:
    parent = facts.parents[id(op)]
    while parent is not None and parent is not outer:
        parent = facts.parents[id(parent)]
    return parent is outer


@dataclass
class _Memory:
    written: set[Definition] = field(default_factory=set)
    by: dict[Definition, Definition] = field(default_factory=dict)  # tiles that another one has overwritten


class _Overwritten(Analysis[_Memory]):
    """Reports a tile that is read after another tile at the same bytes was written.

    A tile that nothing writes is another view of a tile at exactly its bytes, as the transposed operand of a product is;
    without such a tile its content is undefined, as the program wanted it.
    """

    empty_loops = False

    def __init__(self, facts: Facts, tiles: list[Definition]):
        super().__init__(facts)
        spans = [(tile, found) for tile in tiles if (found := span(facts, tile))]
        self.meets: dict[Definition, list[Definition]] = {
            tile: [other for other, b in spans if other is not tile and a[0] == b[0] and a[1] < b[2] and b[1] < a[2]]
            for tile, a in spans
        }
        self.spans = dict(spans)
        self.own: set[Definition] = set()  # tiles that some op writes
        for op in facts.all_ops():
            done = effects(facts, op)
            self.own |= {root for one in done.writes + done.changes + done.scratch if (root := facts.root(one))}

    def start(self, function: Function) -> _Memory:
        return _Memory()

    def copy(self, state: _Memory) -> _Memory:
        return _Memory(set(state.written), dict(state.by))

    def join(self, left: _Memory, right: _Memory) -> _Memory:
        return _Memory(left.written | right.written, right.by | left.by)

    def visit(self, op: Op, state: _Memory) -> None:
        if op.name == "func.call":
            self._call(op, state)
        done = effects(self.facts, op)
        for operand in done.reads:
            self._read(operand, state)
        for operand in done.scratch + done.writes + done.changes:
            self._write(operand, state)

    def _call(self, op: Op, state: _Memory) -> None:
        """A helper has its own tiles at addresses of the same memory."""
        for function in self.facts.called(op):
            for tile in _allocated(self.facts, function):
                taken = span(self.facts, tile)
                for other, (space, start, end) in self.spans.items():
                    if taken and other in state.written and taken[0] == space and taken[1] < end and start < taken[2]:
                        state.by[other] = tile

    def _read(self, operand: Operand, state: _Memory) -> None:
        tile = self.facts.root(operand)
        if tile is None or tile not in self.meets:
            return
        if tile in self.own:
            if tile in state.by:
                self._report(operand, tile, state.by[tile])
            return
        seen = [other for other in self.meets[tile] if self.spans[other] == self.spans[tile] and other in self.own]
        written = [other for other in self.meets[tile] if other in state.written]
        if seen and written and not any(other in seen and other not in state.by for other in written):
            self._report(operand, tile, written[0])

    def _write(self, operand: Operand, state: _Memory) -> None:
        tile = self.facts.root(operand)
        if tile is None or tile not in self.meets:
            return
        for other in self.meets[tile]:
            if other in state.written:
                state.by[other] = tile
        state.written.add(tile)
        state.by.pop(tile, None)

    def _report(self, operand: Operand, tile: Definition, other: Definition) -> None:
        space, start, end = self.spans[tile]
        _, first, last = span(self.facts, other) or ("", 0, 0)
        where = "" if other.function is tile.function else f" of @{other.function.name}"
        self.facts.fault(operand, "overlap", f"`{tile.name}` ({space} {start} to {end}) was overwritten by `{other.name}`{where} "
                         f"({first} to {last}) before this use")
