"""A core that executes a function: values by name, control flow, and the tables where ops find their rules.

A rule takes the core and the op and returns the value of its result, a tuple for several, None for none. The rule of
an op that may have to wait is a generator in STEPS: it yields a Wait, or None to let other cores go on.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

from execute_fault import ExecutionFault, Problem, Where
from execute_memory import Port
from execute_tiles import CAPACITY, SPACES_OF, Memory, TileValue
from model import Block, Function, Op, Operand, Symbol, Tile, Type

if TYPE_CHECKING:
    from execute_machine import Launch


@dataclass
class Wait:
    """A core stands still until `ready()`; `text` says what it waits for."""

    ready: Callable[[], bool]
    text: Callable[[], str]


Steps = Generator[Optional[Wait], None, Any]
RULES: dict[str, Callable[["Core", Op], Any]] = {}
STEPS: dict[str, Callable[["Core", Op], Steps]] = {}
TERMINATORS = ("scf.yield", "scf.condition", "func.return")


def rule(*names: str) -> Callable[[Callable[["Core", Op], Any]], Callable[["Core", Op], Any]]:
    def register(function: Callable[["Core", Op], Any]) -> Callable[["Core", Op], Any]:
        for name in names:
            RULES["pto." + name] = function
        return function

    return register


def steps(*names: str) -> Callable[[Callable[["Core", Op], Steps]], Callable[["Core", Op], Steps]]:
    def register(function: Callable[["Core", Op], Steps]) -> Callable[["Core", Op], Steps]:
        for name in names:
            STEPS["pto." + name] = function
        return function

    return register


class Core:
    """A cube core, or one lane of the vector half, of a block on a rank."""

    def __init__(self, launch: Launch, kind: str, rank: int, block: int, lane: int):
        self.launch, self.kind, self.rank, self.block, self.lane = launch, kind, rank, block, lane
        self.machine = launch.machine
        self.port = Port(self.machine.memory, rank, self.machine.chance, self.machine.profile.stale)
        self.memories = {space: Memory(CAPACITY[space], space) for space in SPACES_OF[kind]} if launch.level == 3 else {}
        self.names: dict[str, tuple[Type, Any]] = {}
        self.stack: list[Function] = []
        self.op: Optional[Op] = None
        self.buffers: dict[str, Any] = {}  # reserved for pipes, by name
        self.pipe_ends: dict[int, Any] = {}
        self.arrivals: dict[str, int] = {}  # at each kind of syncall

    def __str__(self) -> str:
        text = f"rank {self.rank}, block {self.block}"
        if len(self.launch.halves) > 1:
            text += f", {self.kind} half"
        return text + (f", lane {self.lane}" if self.kind == "vector" and self.launch.lanes > 1 else "")

    def where(self) -> Optional[Where]:
        if not self.op:
            return None
        return Where(self.stack[-1].name if self.stack else "?", self.op.name, self.op.line, self.op.column, str(self))

    # -- values -------------------------------------------------------------------------------------------------------

    def get(self, operand: Operand) -> Any:
        if operand.name not in self.names:
            raise Problem("undefined", f"{operand.name} has no value here")
        type_, value = self.names[operand.name]
        if operand.type is not None and operand.type != type_:
            raise Problem("type", f"{operand.name} has type {type_}, used as {operand.type}")
        return value

    def values(self, op: Op, role: str) -> list[Any]:
        return [self.get(operand) for operand in op.group(role)]

    def one(self, op: Op, role: str) -> Any:
        found = op.group(role)
        if len(found) != 1:
            raise Problem("operands", f"{op.name} takes one `{role}`, {len(found)} given")
        return self.get(found[0])

    def set(self, name: str, type_: Type, value: Any) -> None:
        if isinstance(value, TileValue) and isinstance(type_, Tile) and value.type != type_:
            raise Problem("type", f"{name} of type {type_} gets a tile of type {value.type}")
        self.names[name] = (type_, value)

    def define(self, op: Op, result: Any) -> None:
        values = () if result is None else result if isinstance(result, tuple) else (result,)
        if len(values) != len(op.results):
            raise Problem("operands", f"{op.name} gives {len(values)} results, {len(op.results)} named")
        for name, type_, value in zip(op.results, op.result_types, values):
            self.set(name, type_, value)

    # -- execution ----------------------------------------------------------------------------------------------------

    def call(self, function: Function, arguments: list[Any]) -> Steps:
        """Executes a function; its generator returns the results."""
        if function.body is None:
            raise Problem("undefined", f"@{function.name} has no body")
        if len(self.stack) > 40:
            raise Problem("recursion", f"@{function.name} is called more than 40 deep")
        if len(arguments) != len(function.parameters):
            raise Problem("operands", f"@{function.name} takes {len(function.parameters)} arguments, {len(arguments)} given")
        outer, self.names = self.names, {}
        self.stack.append(function)
        for (name, type_), value in zip(function.parameters, arguments):
            self.set(name, type_, value)
        end = yield from self.run(function.body)
        results = self.values(end, "values") if end else []
        self.stack.pop()
        self.names = outer
        return results

    def run(self, block: Block) -> Steps:
        """Executes the ops of a block; its generator returns the op that ends it."""
        for op in block.ops:
            self.op = op
            if op.name in TERMINATORS:
                return op
            try:
                if op.name in CONTROL:
                    yield from CONTROL[op.name](self, op)
                elif op.name in STEPS:
                    yield None
                    self.define(op, (yield from STEPS[op.name](self, op)))
                elif op.name in RULES:
                    self.define(op, RULES[op.name](self, op))
                else:
                    raise Problem("unknown-op", f"{op.name} has no rule")
            except Problem as problem:
                self.op = op
                raise ExecutionFault(problem.code, problem.message, self.where(), self.launch.line(op.line)) from None
        return None


# -- control flow -----------------------------------------------------------------------------------------------------


def yielded(end: Optional[Op], op: Op) -> tuple[Operand, ...]:
    return end.group("values") if end else ()


def expect_count(count: int, wanted: int, what: str) -> None:
    if count != wanted:
        raise Problem("operands", f"{wanted} {what} expected, {count} given")


def for_loop(core: Core, op: Op) -> Steps:
    """The carries are variables, and a yield assigns them one after another: a value that an earlier assignment has
    overwritten is the new one."""
    lower, upper, step = (core.one(op, role) for role in ("lower", "upper", "step"))
    if step <= 0:
        raise Problem("loop", f"the step of the loop is {step}, expected more than 0")
    (counter, counter_type), *carries = op.blocks[0].arguments
    initial = op.group("carries")
    expect_count(len(initial), len(carries), "carries")
    for (name, type_), operand in zip(carries, initial):
        core.set(name, type_, core.get(operand))
    at = lower
    while at < upper:
        core.set(counter, counter_type, at)
        end = yield from core.run(op.blocks[0])
        values = yielded(end, op)
        expect_count(len(values), len(carries), "yielded values")
        for (name, type_), operand in zip(carries, values):
            core.set(name, type_, core.get(operand))
        at += step
        core.machine.count_step()
    core.define(op, tuple(core.names[name][1] for name, _ in carries))
    return None


def while_loop(core: Core, op: Op) -> Steps:
    """The k-th carry is one variable before and after the condition, where the types agree: both copies are made one
    after another."""
    before, after = op.blocks[0].arguments, op.blocks[1].arguments

    def assign(k: int, value: Any, into: list[tuple[str, Type]], twin: list[tuple[str, Type]]) -> None:
        name, type_ = into[k]
        core.set(name, type_, value)
        if k < len(twin) and twin[k][1] == type_:
            core.set(twin[k][0], type_, value)

    initial = op.group("carries")
    expect_count(len(initial), len(before), "carries")
    for k, operand in enumerate(initial):
        assign(k, core.get(operand), before, after)
    while True:
        end = yield from core.run(op.blocks[0])
        if end is None or end.name != "scf.condition":
            raise Problem("loop", "the part before `do` must end in scf.condition")
        go = core.one(end, "condition")
        values = end.group("values")
        expect_count(len(values), len(after), "values of scf.condition")
        copies = []
        for k, operand in enumerate(values):
            copies.append(core.get(operand))
            assign(k, copies[k], after, before)
        if not go:
            core.define(op, tuple(copies))
            return None
        end = yield from core.run(op.blocks[1])
        values = yielded(end, op)
        expect_count(len(values), len(before), "yielded values")
        for k, operand in enumerate(values):
            assign(k, core.get(operand), before, after)
        core.machine.count_step()


def branch(core: Core, op: Op) -> Steps:
    taken = 0 if core.one(op, "condition") else 1
    if taken < len(op.blocks):
        end = yield from core.run(op.blocks[taken])
        core.define(op, tuple(core.get(operand) for operand in yielded(end, op)))
    else:
        core.define(op, ())
    return None


def call(core: Core, op: Op) -> Steps:
    callee = op.attributes["callee"]
    name = callee.name if isinstance(callee, Symbol) else "?"
    if name not in core.launch.functions:
        raise Problem("undefined", f"there is no function @{name}")
    results = yield from core.call(core.launch.functions[name], core.values(op, "arguments"))
    core.define(op, tuple(results))
    return None


CONTROL = {"scf.for": for_loop, "scf.while": while_loop, "scf.if": branch, "func.call": call}
