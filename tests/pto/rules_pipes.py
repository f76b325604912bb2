"""Pipes between the two halves of a kernel: how they are set up, and that both halves agree."""

from __future__ import annotations

from facts import Facts, kind_of
from model import ELEMENT_BYTES, I32, Enum, Function, Op, Operand, Ptr, Symbol, Tile
from pipes import CONSUMER, FLAGS, POPS, PUSHES, SIDES, USES, Pipe, number, other_end, pipes_of
from rules_types import CAPACITY, is_boxed
from scanner import count_text


def check(facts: Facts) -> None:
    for op in facts.all_ops():
        if op.name == "pto.reserve_buffer":
            _reserve(facts, op)
        elif op.name == "pto.import_reserved_buffer":
            _import(facts, op)
        elif op.name in SIDES:
            _core(facts, op, SIDES[op.name])
        elif op.name in USES:
            _core(facts, op, USES[op.name][0])
            _use(facts, op)
    pipes = pipes_of(facts)
    for function in facts.module.functions:
        _together(facts, function, [pipe for pipe in pipes if pipe.function is function])
    for pipe in pipes:
        _setup(facts, pipe)
        _splits(facts, pipe)
        for direction in pipe.directions:
            _buffer(facts, pipe, direction)
            _pair(facts, pipes, pipe, direction)


def _core(facts: Facts, op: Op, side: str) -> None:
    function = facts.owners[id(op)]
    if kind_of(function) != side:
        facts.fault(op, "pipe-core", f"this op belongs in a {side} function")


def _reserve(facts: Facts, op: Op) -> None:
    if op.result_types[0] != I32:
        facts.fault(op, "pipe-type", f"a buffer is an i32, {op.result_types[0]} found")
    location = op.attributes.get("location")
    size, auto = number(op, "size", 0), op.attributes.get("auto")
    if isinstance(location, Enum) and location.value not in ("vec", "mat"):
        facts.fault(op.places.get("location", (op.line, op.column)), "pipe-location",
                    f"the location must be vec or mat, {location.value} found")
    if size <= 0:
        facts.fault(op.places.get("size", (op.line, op.column)), "pipe-size", f"the size must be positive, {size} found")
    limit = CAPACITY.get(location.value, 0) if isinstance(location, Enum) else 0
    if not facts.level3:
        if auto is not True or "base" in op.attributes:
            facts.fault(op, "pipe-base", "a base is allowed at level3 only; write auto = true")
        elif limit and size > limit:
            facts.fault(op, "capacity", f"the buffer of {size} bytes exceeds {limit} bytes")
        return
    if auto is not False or "base" not in op.attributes:
        facts.fault(op, "pipe-base", "level3 needs auto = false and a base")
        return
    base = number(op, "base", 0)
    if base < 0 or base % 256:
        facts.fault(op.places["base"], "pipe-base-alignment", f"the base must be a multiple of 256, {base} found")
    if limit and base + size > limit:
        facts.fault(op, "capacity", f"base + size exceed {limit} bytes: {base} + {size}")


def _import(facts: Facts, op: Op) -> None:
    if op.result_types[0] != I32:
        facts.fault(op, "pipe-type", f"a buffer is an i32, {op.result_types[0]} found")
    peer = op.attributes.get("peer_func")
    if not isinstance(peer, Symbol):
        return
    function = facts.functions.get(peer.name)
    if function is None:
        facts.fault(op.places["peer_func"], "pipe-peer", f"peer_func names no function: @{peer.name}")
        return
    names = [other.attributes.get("name") for other in facts.ops(function) if other.name == "pto.reserve_buffer"]
    if op.attributes.get("name") not in names:
        facts.fault(op.places.get("name", (op.line, op.column)), "pipe-name", f"the peer function reserves no buffer of that name: "
                    f"{op.attributes.get('name')!r}")


def _use(facts: Facts, op: Op) -> None:
    function = facts.owners[id(op)]
    side, direction = USES[op.name]
    own = [other for other in facts.ops(function) if other.name in SIDES and number(other, "id", -1) == number(op, "id", -2)]
    if not own:
        facts.fault(op, "pipe-id", f"no initialize op with id {number(op, 'id', 0)} in the function")
    elif not number(own[0], "dir_mask", 0) & direction:
        facts.fault(op, "pipe-direction", f"the id must be initialised with dir_mask {direction} or 3")
    elif (own[0].line, own[0].column) > (op.line, op.column):
        facts.fault(op, "pipe-order", "the pipe is initialised after this use")
    split = number(op, "split", 0)
    if not 0 <= split <= 4:
        facts.fault(op.places.get("split", (op.line, op.column)), "pipe-split", f"split must be 0 to 4, {split} found")
    elif split > 2 and direction == 2:
        facts.fault(op.places.get("split", (op.line, op.column)), "pipe-split", "odd splits (3 and 4) go from cube to vector only")
    if op.name in PUSHES:
        _pushed(facts, op, side, split)
    elif op.name in POPS:
        _popped(facts, op, direction)


def _pushed(facts: Facts, op: Op, side: str, split: int) -> None:
    tile = op.group("tile")[0].type
    space = "acc" if side == "cube" else "vec"
    if not isinstance(tile, Tile) or tile.space != space:
        found = tile.space if isinstance(tile, Tile) else str(tile)
        facts.fault(op, "pipe-space", f"the tile space has no producer pipe (acc from cube, vec from vector), {found} found")
    elif space == "vec" and (tile.blayout != "row_major" or is_boxed(tile)):
        facts.fault(op, "row-major", f"all operands must be row-major, {tile} found")
    elif split in (3, 4):
        odd = tile.valid[split - 3]
        if odd is None or odd % 2 == 0:
            facts.fault(op, "pipe-split", "odd splits need an odd static valid extent")


def _popped(facts: Facts, op: Op, direction: int) -> None:
    tile = op.result_types[0]
    space = "vec" if direction == 1 else "mat"
    if not isinstance(tile, Tile) or tile.space != space:
        facts.fault(op, "pipe-pop", f"{op.name} returns a tile in {space}, {tile} found")
        return
    if direction == 1 and (tile.blayout != "row_major" or is_boxed(tile)):
        facts.fault(op, "pipe-pop", f"a vec tile from a pipe is row_major, {tile} found")
    if direction == 2 and (tile.blayout, tile.slayout) != ("col_major", "row_major"):
        facts.fault(op, "pipe-pop", f"a mat tile from a pipe is col_major/row_major, {tile.blayout}/{tile.slayout} found")
    given = op.group("valid")
    if len(given) not in (0, 2) or (bool(given) != (None in tile.valid)):
        facts.fault(op, "valid-operand", "(rows, columns) are given exactly when the valid of the tile is ?")


def _together(facts: Facts, function: Function, pipes: list[Pipe]) -> None:
    ids: set[int] = set()
    names: set[object] = set()
    flags = 0
    for pipe in pipes:
        if pipe.id in ids:
            facts.fault(pipe.op, "pipe-id-twice", f"ids must be unique in the function: {pipe.id}")
        ids.add(pipe.id)
        flags += 2 * len(pipe.directions)
        if flags > FLAGS:
            facts.fault(pipe.op, "pipe-flags", f"all pipes of a function must fit in {FLAGS} hardware flags, {flags} needed")
            break
    for op in facts.ops(function):
        if op.name == "pto.reserve_buffer":
            if op.attributes.get("name") in names:
                facts.fault(op, "pipe-name", f"the name {op.attributes.get('name')!r} is reserved twice")
            names.add(op.attributes.get("name"))
    spaces: dict[int, Pipe] = {}
    for pipe in pipes:
        for operand in pipe.op.group("gm_slot_buffer"):
            value = facts.number(operand)
            if value is not None and value in spaces:
                facts.fault(operand, "pipe-workspace", f"pipes {spaces[value].id} and {pipe.id} use the same bytes of the workspace")
            elif value is not None:
                spaces[value] = pipe


def _setup(facts: Facts, pipe: Pipe) -> None:
    op = pipe.op
    if facts.parents[id(op)] is not None:
        facts.fault(op, "pipe-order", "a pipe is initialised at the top of its function, not inside a loop or a branch")
    if pipe.mask not in (1, 2, 3):
        facts.fault(op.places.get("dir_mask", (op.line, op.column)), "pipe-mask", f"dir_mask must be 1, 2 or 3, {pipe.mask} found")
    if pipe.id < 0:
        facts.fault(op.places.get("id", (op.line, op.column)), "pipe-id", f"an id must not be negative, {pipe.id} found")
    if pipe.slot_size <= 0 or pipe.slots <= 0 or pipe.local_slots <= 0:
        facts.fault(op, "pipe-size", "slot_size and the numbers of slots must be positive")
    if pipe.local_slots > pipe.slots:
        facts.fault(op.places["local_slot_num"], "pipe-slots",
                    f"local_slot_num must not exceed slot_num ({pipe.slots}), {pipe.local_slots} found")
    memory = op.group("gm_slot_buffer")
    if not memory:
        facts.fault(op, "pipe-workspace", "gm_slot_buffer is required for a2 and a3")
    elif not isinstance(memory[0].type, Ptr):
        facts.fault(memory[0], "pipe-workspace", f"gm_slot_buffer must be a pointer, {memory[0].type} found")
    else:
        _shard(facts, pipe)
    for direction, role in CONSUMER.items():
        for operand in op.group(role):
            if operand.type != I32:
                facts.fault(operand, "pipe-type", f"a buffer is an i32, {operand.type} found")
            elif direction not in pipe.directions and facts.integer(operand) != 0:
                facts.fault(operand, "pipe-buffer", f"{role} is not used with dir_mask = {pipe.mask}: leave it out, or give a zero")


def _shard(facts: Facts, pipe: Pipe) -> None:
    """With several blocks each has its own part of the workspace, large enough for all slots."""
    memory = pipe.op.group("gm_slot_buffer")[0]
    blocks = [op for op in facts.ops(pipe.function) if op.name == "pto.get_block_idx"]
    scale = _block_stride(facts, pipe, memory)
    if blocks and scale is None and not _computed_from_block(facts, memory):
        facts.fault(memory, "pipe-workspace", "every block uses the same bytes of the workspace: add the block index times the "
                    "shard's elements")
    if scale is not None and isinstance(memory.type, Ptr):
        needed = len(pipe.directions) * pipe.slots * pipe.slot_size
        bytes_ = scale * ELEMENT_BYTES.get(memory.type.element, 0)
        if bytes_ < needed:
            facts.fault(memory, "pipe-workspace", f"the shard of a block has {bytes_} bytes, {needed} needed")


def _chain(facts: Facts, operand: Operand) -> list[Op]:
    """The ops that a value is computed from, through pure ops, nearest first."""
    found: list[Op] = []
    todo = [operand]
    while todo and len(found) < 1000:
        one = todo.pop()
        op = facts.source(one)
        if op is not None and op not in found:
            found.append(op)
            if op.name.startswith("arith.") or op.name in ("pto.addptr", "pto.castptr"):
                todo += op.operands
    return found


def _computed_from_block(facts: Facts, operand: Operand) -> bool:
    return any(op.name == "pto.get_block_idx" for op in _chain(facts, operand))


def _block_stride(facts: Facts, pipe: Pipe, operand: Operand) -> int | None:
    """Elements between two blocks where the offset is `block index * constant`."""
    for op in _chain(facts, operand):
        if op.name != "arith.muli":
            continue
        for one, other in (op.operands, reversed(op.operands)):
            factor = facts.integer(other)
            source = facts.source(one)
            while source is not None and source.name in ("arith.index_cast", "arith.index_castui"):
                source = facts.source(source.operands[0])
            if factor is not None and source is not None and source.name == "pto.get_block_idx":
                return factor
    return None


def _splits(facts: Facts, pipe: Pipe) -> None:
    splits = {number(op, "split", 0) for op in pipe.uses}
    if 0 in splits and len(splits) > 1:
        last = [op for op in pipe.uses if (number(op, "split", 0) == 0) != (number(pipe.uses[0], "split", 0) == 0)]
        facts.fault(last[0], "pipe-split-mixed", "split 0 and other splits may not be mixed on one pipe")
    if pipe.op.attributes.get("nosplit") is True and splits - {0}:
        facts.fault(pipe.op.places.get("nosplit", (pipe.op.line, pipe.op.column)), "pipe-nosplit",
                    "nosplit contradicts the users of the pipe: split 0 expected")


def _buffer(facts: Facts, pipe: Pipe, direction: int) -> None:
    role = CONSUMER[direction]
    given = pipe.op.group(role)
    if not given:
        facts.fault(pipe.op, "pipe-buffer", f"{role} is required with dir_mask = {pipe.mask}")
        return
    buffer = pipe.buffer(facts, direction)
    wanted = "pto.reserve_buffer" if pipe.consumes(direction) else "pto.import_reserved_buffer"
    if buffer is None or buffer.name != wanted:
        facts.fault(given[0], "pipe-buffer", f"{role} must be the result of {wanted} in a {pipe.side} function")
        return
    if buffer.name != "pto.reserve_buffer":
        return
    needed = pipe.slot_size * pipe.local_slots
    if number(buffer, "size", 0) != needed:
        facts.fault(buffer.places.get("size", (buffer.line, buffer.column)), "pipe-size", f"the size must be slot_size x slots, "
                    f"{pipe.slot_size} x {pipe.local_slots} = {needed}; {number(buffer, 'size', 0)} found")
    location = buffer.attributes.get("location")
    space = "vec" if direction == 1 else "mat"
    if isinstance(location, Enum) and location.value in ("vec", "mat") and location.value != space:
        facts.fault(buffer.places["location"], "pipe-location", f"the buffer of {role} lies in {space}, {location.value} found")


def _pair(facts: Facts, pipes: list[Pipe], pipe: Pipe, direction: int) -> None:
    other = other_end(facts, pipes, pipe, direction)
    if other is None:
        buffer = pipe.buffer(facts, direction)
        if buffer is not None and buffer.name in ("pto.reserve_buffer", "pto.import_reserved_buffer"):
            facts.fault(pipe.op, "pipe-alone", f"no pipe of another function uses the buffer {buffer.attributes.get('name')!r}")
        return
    if pipe.consumes(direction):
        return  # checked from the producer's side
    shape = [(one.mask, one.slot_size, one.slots, one.local_slots) for one in (pipe, other)]
    if shape[0] != shape[1] or pipe.op.attributes.get("nosplit", False) != other.op.attributes.get("nosplit", False):
        facts.fault(pipe.op, "pipe-halves", "the two halves must agree on direction and pipe shape: "
                    f"dir_mask {pipe.mask} and {other.mask}, slot_size {pipe.slot_size} and {other.slot_size}, "
                    f"slots {pipe.slots} and {other.slots}")
    if pipe.id != other.id:
        facts.fault(pipe.op, "pipe-halves", f"the two halves must use one id: {pipe.id} and {other.id}")
    _workspaces(facts, pipe, other)
    pushes = [op for op in pipe.uses if PUSHES.get(op.name, ("", 0))[1] == direction]
    pops = [op for op in other.uses if POPS.get(op.name, ("", 0))[1] == direction]
    _traffic(facts, pipe, other, direction, pushes, pops)


def _workspaces(facts: Facts, pipe: Pipe, other: Pipe) -> None:
    ours, theirs = pipe.op.group("gm_slot_buffer"), other.op.group("gm_slot_buffer")
    if ours and theirs and facts.number(ours[0]) != facts.number(theirs[0]):
        facts.fault(ours[0], "pipe-workspace", f"the two halves compute different addresses: this one and that of @{other.function.name}")


def shard(op: Op, direction: int) -> tuple[int, int, str] | None:
    """Rows, columns and element of the tile that arrives for a push; None for odd splits."""
    tile = op.group("tile")[0].type
    split = number(op, "split", 0)
    if not isinstance(tile, Tile) or split not in (0, 1, 2):
        return None
    rows, cols = tile.rows, tile.cols
    if split == 1:
        rows = rows // 2 if direction == 1 else rows * 2
    elif split == 2:
        cols = cols // 2 if direction == 1 else cols * 2
    return (rows, cols, tile.element)


def _traffic(facts: Facts, pipe: Pipe, other: Pipe, direction: int, pushes: list[Op], pops: list[Op]) -> None:
    if not pushes and not pops:
        return
    if not pushes or not pops:
        lonely = (pushes or pops)[0]
        facts.fault(lonely, "pipe-traffic", "what is pushed is never popped" if pushes else "nothing is ever pushed for this pop")
        return
    for op in pushes:
        tile = op.group("tile")[0].type
        if isinstance(tile, Tile):
            whole = tile.bytes * (2 if direction == 2 and number(op, "split", 0) else 1)
            if whole > pipe.slot_size:
                facts.fault(op, "pipe-slot", f"a tile of {whole} bytes does not fit into a slot of {pipe.slot_size}")
    splits = [sorted({number(op, "split", 0) for op in ops}) for ops in (pushes, pops)]
    if splits[0] != splits[1]:
        facts.fault(pops[0], "pipe-split-halves", f"push and pop must use one split: {splits[0]} and {splits[1]}")
        return
    arriving = [shard(op, direction) for op in pushes]
    popped = [(tile.rows, tile.cols, tile.element) if isinstance(tile := op.result_types[0], Tile) else None for op in pops]
    if None in arriving or None in popped:
        return
    straight = all(facts.parents[id(op)] is None for op in pushes + pops)
    for position, (op, found) in enumerate(zip(pops, popped)):
        expected = arriving[position : position + 1] if straight else arriving
        if found not in expected:
            wanted = " or ".join(sorted({f"{one[0]}x{one[1]}x{one[2]}" for one in expected if one})) or "nothing"
            facts.fault(op, "pipe-pop", f"a tile of {wanted} was pushed, {found[0]}x{found[1]}x{found[2]} popped" if found else "")
    for op, sent in zip(pushes, arriving):
        if sent not in popped and not straight and sent:
            facts.fault(op, "pipe-pop", f"no pop takes the tile of {sent[0]}x{sent[1]}x{sent[2]} pushed here")
    if straight and len(pushes) != len(pops):
        facts.fault(pops[0], "pipe-traffic", f"{count_text(len(pushes), 'push', 'es')} and {count_text(len(pops), 'pop')}")

