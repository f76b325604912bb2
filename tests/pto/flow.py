"""Follows a function op by op: both branches of an `scf.if`, and loops until nothing new is learnt."""

from __future__ import annotations

from typing import Generic, TypeVar

from facts import Facts
from model import Block, Function, Op

State = TypeVar("State")

# Each loop is followed at least twice, so the work doubles with each level.
LOOPS = 6


class Analysis(Generic[State]):
    """What one analysis knows at each op. States are compared by ==."""

    # False: a loop whose bounds are not known is taken to run at least once.
    empty_loops = True

    def __init__(self, facts: Facts):
        self.facts = facts
        self.first: dict[int, bool] = {}  # whether the first round of a loop is being followed

    def start(self, function: Function) -> State:
        raise NotImplementedError

    def copy(self, state: State) -> State:
        raise NotImplementedError

    def join(self, left: State, right: State) -> State:
        """What holds when one of the two does."""
        raise NotImplementedError

    def visit(self, op: Op, state: State) -> None:
        """Changes the state to what holds after an op without blocks; reports faults."""

    def enter(self, op: Op, block: int, state: State) -> None:
        """Changes the state on the way into a block of an scf.if, or out of the condition of an scf.while."""

    def leave_loop(self, op: Op, before: State, after: State) -> None:
        """Looks at the states before and after one round of a loop."""

    def join_branches(self, op: Op, left: State, right: State) -> State:
        """What holds after an scf.if whose branches end in these states."""
        return self.join(left, right)

    def inside(self, callee: Function, state: State) -> State:
        """The state at the end of a helper that is called in `state`."""
        if callee.body is None or _depth(self.facts, callee) > LOOPS:
            return state
        return _block(self, callee.body, state)

    def leave_function(self, function: Function, state: State) -> None:
        """Looks at the state at the end."""


def follow(analysis: Analysis[State], function: Function) -> None:
    if function.body is None or _depth(analysis.facts, function) > LOOPS:
        return
    state = _block(analysis, function.body, analysis.start(function))
    analysis.leave_function(function, state)


def check(facts: Facts) -> None:
    for function in facts.module.functions:
        depth = _depth(facts, function)
        if depth > LOOPS:
            facts.fault(function, "loop-depth", f"loops are nested {depth} deep; more than {LOOPS} cannot be checked")


def _depth(facts: Facts, function: Function) -> int:
    deepest = 0
    for op in facts.ops(function):
        depth, parent = 0, op if op.name in ("scf.for", "scf.while") else None
        while parent is not None:
            depth += parent.name in ("scf.for", "scf.while")
            parent = facts.parents[id(parent)]
        deepest = max(deepest, depth)
    return deepest


def _block(analysis: Analysis[State], block: Block, state: State) -> State:
    for op in block.ops:
        if op.name == "scf.if":
            state = _branches(analysis, op, state)
        elif op.name == "scf.for":
            state = _loop(analysis, op, state)
        elif op.name == "scf.while":
            state = _while(analysis, op, state)
        else:
            analysis.visit(op, state)
    return state


def _branches(analysis: Analysis[State], op: Op, state: State) -> State:
    ends = []
    only = _known_branch(analysis, op)
    for index in range(2):
        if only not in (None, index):
            continue
        branch = analysis.copy(state)
        analysis.enter(op, index, branch)
        if index < len(op.blocks):
            branch = _block(analysis, op.blocks[index], branch)
        ends.append(branch)
    return analysis.join_branches(op, *ends) if len(ends) == 2 else ends[0]


def _known_branch(analysis: Analysis[State], op: Op) -> int | None:
    """The branch taken when the condition asks whether this is the first round of a loop."""
    facts = analysis.facts
    asked = facts.source(op.group("condition")[0])
    if asked is None or asked.name != "arith.cmpi" or asked.attributes["predicate"] not in ("eq", "ne"):
        return None
    for counter, start in (asked.operands, reversed(asked.operands)):
        found = facts.definition(counter)
        loop = found.op if found and found.argument == 0 else None
        if loop is not None and loop.name == "scf.for" and facts.number(loop.group("lower")[0]) == facts.number(start):
            first = analysis.first.get(id(loop))
            return None if first is None else int(first != (asked.attributes["predicate"] == "eq"))
    return None


def _loop(analysis: Analysis[State], op: Op, state: State) -> State:
    before = state
    analysis.first[id(op)] = True
    state = _block(analysis, op.blocks[0], analysis.copy(state))
    analysis.leave_loop(op, before, state)
    analysis.first[id(op)] = False
    while True:
        after = _block(analysis, op.blocks[0], analysis.copy(state))
        analysis.leave_loop(op, state, after)
        joined = analysis.join(state, after)
        if joined == state:
            break
        state = joined
    del analysis.first[id(op)]
    lower, upper = (analysis.facts.integer(op.group(role)[0]) for role in ("lower", "upper"))
    runs = lower is not None and upper is not None and lower < upper
    return state if runs or not analysis.empty_loops else analysis.join(before, state)


def _while(analysis: Analysis[State], op: Op, state: State) -> State:
    while True:
        asked = _block(analysis, op.blocks[0], analysis.copy(state))
        inside, left = analysis.copy(asked), analysis.copy(asked)
        analysis.enter(op, 0, inside)
        analysis.enter(op, 1, left)
        after = _block(analysis, op.blocks[1], inside)
        analysis.leave_loop(op, state, after)
        joined = analysis.join(state, after)
        if joined == state:
            return left
        state = joined
