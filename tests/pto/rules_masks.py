"""Masks are packed bits: compares make them, tand, tor, txor combine them, only tsel and tsels read them."""

from __future__ import annotations

from effects import effects, scratch_of
from facts import Definition, Facts
from flow import Analysis, follow
from model import Function, Op, Tile

MAKE = ("pto.tcmp", "pto.tcmps")
READ = ("pto.tsel", "pto.tsels")
COMBINE = ("pto.tand", "pto.tor", "pto.txor", "pto.tnot", "pto.tmov")
State = dict[Definition, str]


def check(facts: Facts) -> None:
    for function in facts.module.functions:
        follow(_Masks(facts), function)


class _Masks(Analysis[State]):
    def start(self, function: Function) -> State:
        return {}

    def copy(self, state: State) -> State:
        return dict(state)

    def join(self, left: State, right: State) -> State:
        return {tile: what for tile, what in (left | right).items() if left.get(tile, what) == right.get(tile, what)}

    def visit(self, op: Op, state: State) -> None:
        done = effects(self.facts, op)
        extra = scratch_of(op)
        held = []
        for position, operand in enumerate(op.group("ins") + op.group("tile")):
            root = self.facts.root(operand)
            if not isinstance(operand.type, Tile) or root is None or operand is extra:
                continue
            what = state.get(root)
            wants = op.name in READ and position == 0
            if wants and what == "data":
                self.facts.fault(operand, "mask-data", f"`{operand.name}` holds data; a mask comes from a compare")
            elif what == "mask" and not wants and op.name not in COMBINE and op.name != "pto.set_validshape":
                self.facts.fault(operand, "mask-data", f"`{operand.name}` holds packed bits, which only tsel and tsels read")
            held.append(what)
        if op.name in COMBINE and "mask" in held and "data" in held:
            self.facts.fault(op, "mask-data", "a mask and data are combined")
        for operand in done.writes + done.changes + done.scratch:
            root = self.facts.root(operand)
            if root is None:
                continue
            if op.name == "func.call":
                state.pop(root, None)
            elif op.name in MAKE or (op.name in COMBINE and "mask" in held):
                state[root] = "mask"
            elif op.name in COMBINE and None in held:
                state.pop(root, None)
            else:
                state[root] = "data"
