"""The pipes of a module: each initialize op, its buffers, its pushes and pops, and the pipe at the other end."""

from __future__ import annotations

from dataclasses import dataclass, field

from facts import Facts
from model import Function, Op, Operand, Symbol

SIDES = {"pto.aic_initialize_pipe": "cube", "pto.aiv_initialize_pipe": "vector"}
# Side, direction (1 cube to vector, 2 vector to cube) of each op on a pipe.
PUSHES = {"pto.tpush_to_aiv": ("cube", 1), "pto.tpush_to_aic": ("vector", 2)}
POPS = {"pto.tpop_from_aic": ("vector", 1), "pto.tpop_from_aiv": ("cube", 2)}
FREES = {"pto.tfree_from_aic": ("vector", 1), "pto.tfree_from_aiv": ("cube", 2)}
USES = PUSHES | POPS | FREES
CONSUMER = {1: "c2v_consumer_buf", 2: "v2c_consumer_buf"}
FLAGS = 16


def number(op: Op, name: str, default: int) -> int:
    """An integer attribute; the default also when it is of another kind, which is reported elsewhere."""
    value = op.attributes.get(name, default)
    return value if isinstance(value, int) and not isinstance(value, bool) else default


@dataclass(eq=False)
class Pipe:
    function: Function
    op: Op
    side: str
    uses: list[Op] = field(default_factory=list)

    @property
    def id(self) -> int:
        return number(self.op, "id", 0)

    @property
    def mask(self) -> int:
        return number(self.op, "dir_mask", 0)

    @property
    def slot_size(self) -> int:
        return number(self.op, "slot_size", 0)

    @property
    def slots(self) -> int:
        return number(self.op, "slot_num", 4 if self.mask == 3 else 8)

    @property
    def local_slots(self) -> int:
        return number(self.op, "local_slot_num", self.slots)

    @property
    def directions(self) -> list[int]:
        return [direction for direction in (1, 2) if self.mask & direction]

    def consumes(self, direction: int) -> bool:
        return (self.side == "vector") == (direction == 1)

    def buffer(self, facts: Facts, direction: int) -> Op | None:
        """The reserve or import op of the buffer of a direction."""
        given: tuple[Operand, ...] = self.op.group(CONSUMER[direction])
        return facts.source(given[0]) if given else None


def pipes_of(facts: Facts) -> list[Pipe]:
    found = [Pipe(facts.owners[id(op)], op, SIDES[op.name]) for op in facts.all_ops() if op.name in SIDES]
    for pipe in found:
        pipe.uses = [op for op in facts.ops(pipe.function) if op.name in USES and number(op, "id", -1) == pipe.id]
    return found


def other_end(facts: Facts, pipes: list[Pipe], pipe: Pipe, direction: int) -> Pipe | None:
    """The pipe of the other half whose buffer of this direction has the same name."""
    own = pipe.buffer(facts, direction)
    if own is None:
        return None
    consumes = pipe.consumes(direction)
    for other in pipes:
        their = other.buffer(facts, direction)
        if other.function is pipe.function or their is None or own.attributes.get("name") != their.attributes.get("name"):
            continue
        importing, reserving = (their, pipe) if consumes else (own, other)
        if importing.name == "pto.import_reserved_buffer" and importing.attributes.get("peer_func") == Symbol(reserving.function.name):
            return other
    return None
