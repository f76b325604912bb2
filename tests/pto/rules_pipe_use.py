"""Every popped tile is freed once, in the order of the pops, after its last use."""

from __future__ import annotations

from dataclasses import dataclass, field

from facts import Definition, Facts
from flow import Analysis, follow
from model import Function, Op
from pipes import FREES, POPS, SIDES, number
from scanner import count_text

Key = tuple[int, int]  # id of the pipe, direction


def check(facts: Facts) -> None:
    for function in facts.module.functions:
        if any(op.name in POPS or op.name in FREES for op in facts.ops(function)):
            follow(_Frees(facts, function), function)


@dataclass
class _Popped:
    waiting: dict[Key, tuple[Definition, ...]] = field(default_factory=dict)  # popped and not freed, oldest first
    freed: set[Definition] = field(default_factory=set)


class _Frees(Analysis[_Popped]):
    def __init__(self, facts: Facts, function: Function):
        super().__init__(facts)
        self.slots: dict[int, int] = {}
        for op in facts.ops(function):
            if op.name in SIDES:
                default = 4 if number(op, "dir_mask", 0) == 3 else 8
                self.slots[number(op, "id", 0)] = number(op, "local_slot_num", number(op, "slot_num", default))

    def start(self, function: Function) -> _Popped:
        return _Popped()

    def copy(self, state: _Popped) -> _Popped:
        return _Popped(dict(state.waiting), set(state.freed))

    def join(self, left: _Popped, right: _Popped) -> _Popped:
        return _Popped(left.waiting, left.freed | right.freed)

    def visit(self, op: Op, state: _Popped) -> None:
        for operand in op.operands:
            root = self.facts.root(operand)
            if root in state.freed and op.name not in ("pto.treshape", "pto.subview"):
                self.facts.fault(operand, "pipe-free-early", f"`{operand.name}` is used after its slot was freed")
        if op.name in POPS:
            tile = self.facts.results[id(op)][0]
            key = (number(op, "id", 0), POPS[op.name][1])
            state.waiting[key] = state.waiting.get(key, ()) + (tile,)
            state.freed.discard(tile)
            slots = self.slots.get(key[0], 8)
            if len(state.waiting[key]) > slots:
                self.facts.fault(op, "pipe-full", f"{len(state.waiting[key])} tiles are popped and not freed, of {count_text(slots, 'slot')}")
                state.waiting[key] = state.waiting[key][1:]
        elif op.name in FREES:
            self._free(op, state)

    def _free(self, op: Op, state: _Popped) -> None:
        key = (number(op, "id", 0), FREES[op.name][1])
        waiting = state.waiting.get(key, ())
        if not waiting:
            self.facts.fault(op, "pipe-free", "nothing popped is left to free")
            return
        oldest, state.waiting[key] = waiting[0], waiting[1:]
        state.freed.add(oldest)
        if oldest.op and number(oldest.op, "split", 0) != number(op, "split", 0):
            self.facts.fault(op.places.get("split", (op.line, op.column)), "pipe-split-halves",
                             f"the pop of this slot has split {number(oldest.op, 'split', 0)}, {number(op, 'split', 0)} found")

    def _left(self, before: _Popped, after: _Popped) -> dict[Key, int]:
        keys = before.waiting.keys() | after.waiting.keys()
        counts = {key: len(after.waiting.get(key, ())) - len(before.waiting.get(key, ())) for key in keys}
        return {key: count for key, count in counts.items() if count}

    def leave_loop(self, op: Op, before: _Popped, after: _Popped) -> None:
        for (id_, _), count in self._left(before, after).items():
            what = "popped than freed" if count > 0 else "freed than popped"
            tiles = count_text(abs(count), "more tile")
            self.facts.fault(op, "pipe-free", f"each round of the loop has {tiles} of pipe {id_} {what}")
        after.waiting = dict(before.waiting)

    def join_branches(self, op: Op, left: _Popped, right: _Popped) -> _Popped:
        for id_, _ in self._left(left, right):
            self.facts.fault(op, "pipe-free", f"the branches leave different numbers of tiles of pipe {id_} popped and not freed")
        return self.join(left, right)

    def leave_function(self, function: Function, state: _Popped) -> None:
        for waiting in state.waiting.values():
            for tile in waiting:
                if tile.op:
                    self.facts.fault(tile.op, "pipe-free", f"`{tile.name}` is popped and never freed")
