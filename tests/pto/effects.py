"""Which tiles an op reads and which it writes."""

from __future__ import annotations

from dataclasses import dataclass, field

from facts import Facts
from model import Op, Operand, Tile
from rules_vector import FORMS, matched
from storage import is_subview

# Ops that change a part of their result and keep the rest.
PARTIAL = ("pto.tinsert", "pto.tsetval", "pto.tscatter")
# Position of the scratch tile, when it is given, of ops outside FORMS.
SCRATCH = {"pto.tcvt": 1, "pto.ttrans": 1, "pto.tci": 1, "pto.tgather": 2}


@dataclass
class Effects:
    reads: list[Operand] = field(default_factory=list)
    scratch: list[Operand] = field(default_factory=list)
    writes: list[Operand] = field(default_factory=list)  # a whole tile
    changes: list[Operand] = field(default_factory=list)  # a part of one


def effects(facts: Facts, op: Op) -> Effects:
    found = Effects()
    for operand in op.group("ins"):
        if isinstance(operand.type, Tile):
            found.reads.append(operand)
    extra = scratch_of(op)
    if extra in found.reads:
        found.reads.remove(extra)
        found.scratch.append(extra)
    for operand in op.group("outs"):
        if isinstance(operand.type, Tile):
            part = op.name in PARTIAL or is_subview(facts, operand)
            (found.changes if part else found.writes).append(operand)
    if op.name.startswith("pto.tpush"):
        found.reads += op.group("tile")
    found.scratch += op.group("buf")
    if op.name == "func.call":
        found.changes += [operand for operand in op.operands if isinstance(operand.type, Tile)]
    return found


def scratch_of(op: Op) -> Operand | None:
    if op.name in FORMS:
        form = matched(op, FORMS[op.name].operands)
        return form[1] if form else None
    ins = op.group("ins")
    at = SCRATCH.get(op.name)
    if op.name == "pto.tmrgsort" and len(op.group("outs")) == 2:
        at = len(ins) - 1
    return ins[at] if at is not None and at < len(ins) else None
