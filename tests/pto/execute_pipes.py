"""Pipes between the cube and the vector half of a block: rings of slots in global memory and in the popping core.

A push waits for a free slot of the ring in global memory and stores the tile there. A pop waits for the slot to be
filled and copies it to its slot of the reserved buffer, where the popped tile lies until it is freed: a free makes its
bytes unwritten. Split pipes have two lanes: each pops, or pushes, its half, and a slot is filled or free when both
have been there. Only the slot itself is ordered by push and pop; other stores need a fence.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np

from execute_core import Core, Steps, Wait, rule, steps
from execute_fault import Problem
from execute_moves import check_cube_layout, valid_of
from execute_tiles import NUMPY, Memory, TileValue, places_in
from model import ELEMENT_BYTES, Enum, Op, Symbol, Tile

Array = Any


@dataclass
class Buffer:
    """Reserved in a memory of the popping core."""

    name: str
    size: int
    space: str
    base: int
    memory: Memory


@dataclass
class End:
    """What one core says about a pipe."""

    dir_mask: int
    slot_size: int
    slots: int
    local_slots: int
    gm: int
    buffers: dict[str, int]  # by direction, "c2v" and "v2c": the address in the popping core
    nosplit: bool

    def ring(self, direction: str) -> int:
        """The address of the ring of this direction; vector to cube lies after cube to vector."""
        return self.gm + (self.slots * self.slot_size if direction == "v2c" and self.dir_mask == 3 else 0)


@dataclass
class Pushed:
    """The tile in a slot: its whole shape, and the valid extent of each lane's part."""

    split: int
    rows: int
    cols: int
    element: str
    valid: dict[int, tuple[int, int]] = field(default_factory=dict)


@dataclass
class Ring:
    """The slots of one direction of a pipe of a block."""

    pushes: dict[int, int]  # by lane of the pushing half
    pops: dict[int, int]
    frees: dict[int, int]
    slots: dict[int, Pushed] = field(default_factory=dict)  # by number of the push
    popped: dict[tuple[int, int], TileValue] = field(default_factory=dict)  # by lane and number of the pop


def integer(op: Op, name: str, default: Optional[int] = None) -> int:
    value = op.attributes.get(name, default)
    if not isinstance(value, int) or value < 0:
        raise Problem("operands", f"{op.name} takes {name}, an integer")
    return int(value)


@rule("reserve_buffer")
def reserve(core: Core, op: Op) -> int:
    name, size, space = op.attributes.get("name"), integer(op, "size"), op.attributes.get("location")
    if not isinstance(name, str) or not isinstance(space, Enum) or space.value not in ("vec", "mat"):
        raise Problem("operands", "pto.reserve_buffer takes a name, and a location in vec or mat")
    if name in core.buffers:
        raise Problem("pipe", f"buffer `{name}` is reserved twice")
    if core.launch.level == 3:
        base = integer(op, "base")
        if op.attributes.get("auto") is not False or base % 256:
            raise Problem("address", "at level3 a buffer has auto = false and a base that is a multiple of 256")
        if space.value not in core.memories:
            raise Problem("space", f"a {core.kind} core has no {space.value} memory")
        memory = core.memories[space.value]
        if base + size > memory.size:
            raise Problem("capacity", f"bytes {base}..{base + size - 1} of {space.value}, which has {memory.size}")
    else:
        if op.attributes.get("auto") is not True or "base" in op.attributes:
            raise Problem("address", "at level2 a buffer has auto = true and no base")
        base, memory = core.launch.buffer_address(name), Memory(size, space.value)
    core.buffers[name] = Buffer(name, size, space.value, base, memory)
    return base


@rule("import_reserved_buffer")
def import_buffer(core: Core, op: Op) -> int:
    name, peer = op.attributes.get("name"), op.attributes.get("peer_func")
    if not isinstance(peer, Symbol) or peer.name not in core.launch.functions:
        raise Problem("pipe", f"there is no function {peer}")
    found = core.launch.reserved(peer.name, str(name))
    if found is None:
        raise Problem("pipe", f"@{peer.name} reserves no buffer `{name}`")
    return found


@rule("aic_initialize_pipe", "aiv_initialize_pipe")
def initialize(core: Core, op: Op) -> None:
    kind = "cube" if op.name == "pto.aic_initialize_pipe" else "vector"
    if core.kind != kind:
        raise Problem("space", f"{op.name} in a {core.kind} core")
    number, mask = integer(op, "id"), integer(op, "dir_mask")
    if number in core.pipe_ends:
        raise Problem("pipe", f"pipe {number} is initialised twice")
    if mask not in (1, 2, 3):
        raise Problem("pipe", f"dir_mask is {mask}, expected 1, 2 or 3")
    slots = integer(op, "slot_num", 4 if mask == 3 else 8)
    buffers = {
        direction: value[0] for direction in ("c2v", "v2c") if (value := core.values(op, direction + "_consumer_buf"))
    }
    end = End(
        mask, integer(op, "slot_size"), slots, integer(op, "local_slot_num", slots), core.one(op, "gm_slot_buffer"), buffers,
        op.attributes.get("nosplit") is True,
    )
    if not slots or not 0 < end.local_slots <= slots:
        raise Problem("pipe", f"{slots} slots, {end.local_slots} of them local")
    for other in core.launch.cores:
        if other.block == core.block and other is not core and number in other.pipe_ends:
            there = other.pipe_ends[number]
            if (there.dir_mask, there.slot_size, there.slots) != (end.dir_mask, end.slot_size, end.slots):
                raise Problem("pipe", f"the two halves of pipe {number} disagree on dir_mask, slot_size or slot_num")
    core.pipe_ends[number] = end


def end_of(core: Core, op: Op, direction: str) -> tuple[End, Ring, int]:
    """This core's end of the pipe of an op, the ring, and the split."""
    number, split = integer(op, "id"), integer(op, "split")
    end = core.pipe_ends.get(number)
    if end is None:
        raise Problem("pipe", f"pipe {number} is not initialised")
    if not end.dir_mask & (1 if direction == "c2v" else 2):
        raise Problem("pipe", f"pipe {number} has no direction {direction}")
    if split not in (0, 1, 2) or (split and end.nosplit):
        raise Problem("pipe", f"split {split} of pipe {number}, expected 0, 1 or 2, and 0 with nosplit")
    rings = core.launch.rings
    key = (core.block, number, direction)
    if key not in rings:
        vector = list(range(core.launch.lanes)) if split else [0]
        pushing, popping = ([0], vector) if direction == "c2v" else (vector, [0])
        rings[key] = Ring(dict.fromkeys(pushing, 0), dict.fromkeys(popping, 0), dict.fromkeys(popping, 0))
    return end, rings[key], split


def half(split: int, lane: int, rows: int, cols: int) -> tuple[int, int, int, int]:
    """The part of a lane in a tile of rows x cols: first row and column, rows, columns."""
    if split == 1:
        return lane * (rows // 2), 0, rows // 2, cols
    if split == 2:
        return 0, lane * (cols // 2), rows, cols // 2
    return 0, 0, rows, cols


@steps("tpush_to_aiv", "tpush_to_aic")
def push(core: Core, op: Op) -> Steps:
    direction = "c2v" if op.name == "pto.tpush_to_aiv" else "v2c"
    if core.kind != ("cube" if direction == "c2v" else "vector"):
        raise Problem("space", f"{op.name} in a {core.kind} core")
    end, ring, split = end_of(core, op, direction)
    tile: TileValue = core.one(op, "tile")
    if tile.type.space != ("acc" if direction == "c2v" else "vec"):
        raise Problem("space", f"{op.name} pushes from {'acc' if direction == 'c2v' else 'vec'}, {tile.name} is in {tile.type.space}")
    if direction == "c2v":
        check_cube_layout(tile)
    lane = core.lane if direction == "v2c" and split else 0
    rows, cols = tile.type.rows, tile.type.cols
    parts = 1 if direction == "c2v" or not split else 2
    whole_rows, whole_cols = (rows * parts if split == 1 else rows), (cols * parts if split == 2 else cols)
    if direction == "c2v" and split and (rows if split == 1 else cols) % 2:
        raise Problem("pipe", f"{tile.name} cannot be split into two halves")
    size = whole_rows * whole_cols * tile.size
    if size > end.slot_size:
        raise Problem("pipe", f"a tile of {size} bytes in slots of {end.slot_size}")
    number = ring.pushes[lane]
    yield Wait(
        lambda: number - min(ring.frees.values()) < end.slots,
        lambda: f"a free slot of pipe {integer(op, 'id')}: {number} tiles pushed, {min(ring.frees.values())} freed",
    )
    slot = ring.slots.setdefault(number, Pushed(split, whole_rows, whole_cols, tile.element))
    if (slot.split, slot.rows, slot.cols, slot.element) != (split, whole_rows, whole_cols, tile.element):
        raise Problem("pipe", f"the lanes push different tiles into one slot: {tile.type}")
    valid_rows, valid_cols = tile.extent
    slot.valid[lane] = tile.extent
    row, col, *_ = half(split, lane, whole_rows, whole_cols) if parts == 2 else (0, 0)
    address = end.ring(direction) + number % end.slots * end.slot_size
    where = (row + np.arange(valid_rows))[:, None] * whole_cols + col + np.arange(valid_cols)
    core.port.store_now(address + where * tile.size, tile.element, tile.read())
    ring.pushes[lane] = number + 1
    return None


@steps("tpop_from_aic", "tpop_from_aiv")
def pop(core: Core, op: Op) -> Steps:
    direction = "c2v" if op.name == "pto.tpop_from_aic" else "v2c"
    if core.kind != ("vector" if direction == "c2v" else "cube"):
        raise Problem("space", f"{op.name} in a {core.kind} core")
    end, ring, split = end_of(core, op, direction)
    type_ = op.result_types[0]
    if not isinstance(type_, Tile):
        raise Problem("type", f"{op.name} gives a tile, not {type_}")
    lane = core.lane if direction == "c2v" and split else 0
    if lane not in ring.pops:
        raise Problem("pipe", f"lane {lane} pops from a pipe that is not split")
    buffer = next((one for one in core.buffers.values() if one.base == end.buffers.get(direction)), None)
    space = "vec" if direction == "c2v" else "mat"
    if buffer is None or buffer.space != space or type_.space != space:
        raise Problem("pipe", f"{op.name} takes a buffer and a tile in {space}")
    number = ring.pops[lane]
    yield Wait(
        lambda: min(ring.pushes.values()) > number,
        lambda: f"tile {number} of pipe {integer(op, 'id')}, {min(ring.pushes.values())} pushed",
    )
    slot = ring.slots[number]
    if slot.split != split:
        raise Problem("pipe", f"pushed with split {slot.split}, popped with split {split}")
    row, col, rows, cols = half(split, lane, slot.rows, slot.cols) if direction == "c2v" else (0, 0, slot.rows, slot.cols)
    if (type_.rows, type_.cols, type_.element) != (rows, cols, slot.element):
        raise Problem("pipe", f"the pushed tile gives {rows}x{cols}x{slot.element} here, popped as {type_}")
    if number - ring.frees[lane] >= end.local_slots:
        raise Problem("pipe", f"{number - ring.frees[lane]} tiles are popped and not freed, there are {end.local_slots} local slots")
    start = number % end.local_slots * end.slot_size
    if start + type_.bytes > buffer.size:
        raise Problem("pipe", f"bytes {start}..{start + type_.bytes - 1} of buffer `{buffer.name}`, which has {buffer.size}")
    given = core.values(op, "valid")
    if len(given) not in (0, 2):
        raise Problem("operands", f"{op.name} takes two extents or none")
    valid = valid_of(type_, given[:1], given[1:], op.name)
    offset = start + (buffer.base if core.launch.level == 3 else 0)
    tile = TileValue(type_, buffer.memory, offset + places_in(type_), valid, op.results[0])
    tile.forget()
    # What was pushed, as far as it is valid; the rest of the slot means nothing.
    sides = slot.valid.items() if direction == "v2c" else [(0, slot.valid[0])]
    address = end.ring(direction) + number % end.slots * end.slot_size
    for side, (valid_rows, valid_cols) in sides:
        first_row, first_col, *_ = half(split, side, slot.rows, slot.cols) if direction == "v2c" else (0, 0)
        top, bottom = max(row, first_row), min(row + rows, first_row + valid_rows)
        left, right = max(col, first_col), min(col + cols, first_col + valid_cols)
        if top >= bottom or left >= right:
            continue
        where = np.arange(top, bottom)[:, None] * slot.cols + np.arange(left, right)
        values = core.port.load(address + where * ELEMENT_BYTES[slot.element], slot.element)
        tile.put(tile.places[top - row : bottom - row, left - col : right - col], values.view(NUMPY[type_.element]))
    ring.pops[lane] = number + 1
    ring.popped[lane, number] = tile
    return tile


@steps("tfree_from_aic", "tfree_from_aiv")
def free(core: Core, op: Op) -> Steps:
    direction = "c2v" if op.name == "pto.tfree_from_aic" else "v2c"
    if core.kind != ("vector" if direction == "c2v" else "cube"):
        raise Problem("space", f"{op.name} in a {core.kind} core")
    _, ring, split = end_of(core, op, direction)
    lane = core.lane if direction == "c2v" and split else 0
    number = ring.frees.get(lane, 0)
    if lane not in ring.frees or number >= ring.pops[lane]:
        raise Problem("pipe", f"frees tile {number} of pipe {integer(op, 'id')}, which was not popped")
    ring.popped.pop((lane, number)).forget()
    ring.frees[lane] = number + 1
    return None
    yield


def check_ends(rank: int, rings: dict[tuple[int, int, str], Ring]) -> None:
    """At the end of a launch every pushed tile has been popped and freed."""
    for (block, number, direction), ring in rings.items():
        pushed = max(ring.pushes.values())
        for lane, freed in ring.frees.items():
            popped = ring.pops[lane]
            if popped < pushed:
                text = f"{pushed} tiles pushed, {popped} popped"
            elif freed < popped:
                text = f"{popped} tiles popped, {freed} freed"
            else:
                continue
            raise Problem("pipe", f"pipe {number} ({direction}) of rank {rank}, block {block} ends with {text}")
