"""Executes the text of a PTO module with NumPy, and finds what only execution shows.

    run(text, "vector_add", [a, b, y])                                    # one rank, one block; y is filled in place
    run(text, "softmax", [x, y, 32], blocks=2)
    run(text, "allreduce", [Window(rows), Window(cells), 1, 2, 3, Context()], ranks=2, seed=7)
    run(text, ("mm_aic", "mm_aiv"), [a, b, y, workspace, 64])             # the halves of a mixed kernel

Arguments: an array (of one rank), PerRank([...]) of an array or number for each rank, Window([...]) of arrays that
other ranks may touch, Context() of the group of such windows, numbers. Arrays are changed in place when the run ends
well. A run that cannot end well raises ExecutionFault. The seed chooses the order of cores and stores: run a module
with signals, pipes or blocks under several.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any, Sequence, Union

import numpy as np

from execute_fault import ExecutionFault, Problem
from execute_machine import Launch, Machine
from execute_memory import GAP, Region
from execute_schedule import run_until
from execute_scalars import BITS, FLOATS, rounded
from execute_tiles import NUMPY
from model import Function, Module, Ptr, Scalar, Type
from syntax import parse

Array = Any

__all__ = ["Context", "ExecutionFault", "PerRank", "Result", "Window", "run"]


@dataclass
class PerRank:
    """A value for each rank."""

    values: Sequence[Any]


@dataclass
class Window:
    """An array for each rank, in the windows of a group of ranks."""

    values: Sequence[Array]
    group: int = 0


@dataclass
class Context:
    """The communication context of a group."""

    group: int = 0


@dataclass
class Result:
    printed: list[str]
    steps: int
    level: int


@dataclass
class Layout:
    """Where the regions of each rank lie: nowhere near each other, and differently on every rank."""

    ranks: int
    chance: random.Random
    private: list[int] = field(default_factory=list)
    windows: dict[int, list[int]] = field(default_factory=dict)  # by group: the base of each rank
    used: dict[int, int] = field(default_factory=dict)  # by group: the offset after the last window

    def __post_init__(self) -> None:
        self.private = [(rank + 1) << 40 for rank in range(self.ranks)]

    def bases(self, group: int) -> list[int]:
        if group not in self.windows:
            starts = [((rank + 1) << 40) + ((group + 1) << 36) for rank in range(self.ranks)]
            self.windows[group] = [start + 512 * self.chance.randrange(1, 1 << 20) for start in starts]
            self.used[group] = 0
        return self.windows[group]


def run(
    text: Union[str, Module], kernel: Union[str, Sequence[str]], args: Sequence[Any], *, ranks: int = 1, blocks: int = 1,
    seed: int = 0, max_steps: int = 2_000_000,
) -> Result:
    module = parse(text) if isinstance(text, str) else text
    lines = text.split("\n") if isinstance(text, str) else []
    machine = Machine(seed, max_steps)
    halves = halves_of(module, kernel)
    layout = Layout(ranks, random.Random(f"layout {seed}"))
    bound = [bind(machine, halves, layout, k, value, args) for k, value in enumerate(args)]
    write_contexts(machine, layout, args, bound)
    launches = [Launch(machine, module, halves, rank, blocks, lines) for rank in range(ranks)]
    for rank, launch in enumerate(launches):
        launch.start([one.values[rank] for one in bound])
    run_until(machine, lambda: all(launch.ended() for launch in launches))
    for launch in launches:
        launch.check_end()
    for one in bound:
        for region, array in zip(one.regions, one.arrays):
            array[...] = region.data[: region.size].view(array.dtype).reshape(array.shape)
    return Result(machine.printed, machine.steps, launches[0].level)


def halves_of(module: Module, kernel: Union[str, Sequence[str]]) -> list[Function]:
    functions = {function.name: function for function in module.functions}
    names = [kernel] if isinstance(kernel, str) else list(kernel)
    if isinstance(kernel, str) and kernel not in functions:
        names = [kernel + "_aic", kernel + "_aiv"]
    for name in names:
        if name not in functions or functions[name].private:
            raise ExecutionFault("undefined", f"the module has no kernel @{name}")
    return [functions[name] for name in names]


@dataclass
class Bound:
    """An argument: the value of the parameter on each rank, and the arrays behind it."""

    values: list[Any]
    regions: list[Region] = field(default_factory=list)
    arrays: list[Array] = field(default_factory=list)


def bind(machine: Machine, halves: list[Function], layout: Layout, number: int, value: Any, args: Sequence[Any]) -> Bound:
    types = [function.parameters[number] for function in halves if number < len(function.parameters)]
    if len(types) < len(halves) or any(len(half.parameters) != len(args) for half in halves):
        raise ExecutionFault("arguments", f"the kernel takes {len(halves[0].parameters)} arguments, {len(args)} given")
    (name, type_), *others = types
    if any(other != type_ for _, other in others):
        raise ExecutionFault("arguments", f"the halves disagree on the type of {name}")
    if isinstance(value, Context):
        if type_ != Ptr("i64"):
            raise ExecutionFault("arguments", f"{name} has type {type_}, a context is !pto.ptr<i64>")
        return Bound([])
    per_rank = list(value.values) if isinstance(value, (PerRank, Window)) else [value] * layout.ranks
    if len(per_rank) != layout.ranks:
        raise ExecutionFault("arguments", f"{len(per_rank)} values for {name} on {layout.ranks} ranks")
    if isinstance(type_, Scalar):
        return Bound([scalar_argument(name, type_, one) for one in per_rank])
    if layout.ranks > 1 and isinstance(value, np.ndarray):
        raise ExecutionFault("arguments", f"{name} is one array for {layout.ranks} ranks: give PerRank or Window")
    return array_argument(machine, layout, name, type_, value, per_rank)


def scalar_argument(name: str, type_: Scalar, value: Any) -> Any:
    if type_.name in FLOATS:
        return rounded(float(value), type_.name)
    number = int(value)
    bits = BITS[type_.name]
    if number != value or not (0 <= number <= 1 if bits == 1 else -(1 << (bits - 1)) <= number < 1 << (bits - 1)):
        raise ExecutionFault("arguments", f"{name} is {value}, which is no {type_}")
    return number


def array_argument(
    machine: Machine, layout: Layout, name: str, type_: Type, value: Any, per_rank: list[Array]
) -> Bound:
    if not isinstance(type_, Ptr):
        raise ExecutionFault("arguments", f"{name} has type {type_}, which no argument can have")
    for one in per_rank:
        if not isinstance(one, np.ndarray) or one.dtype != np.dtype(NUMPY[type_.element]) or not one.flags["C_CONTIGUOUS"]:
            raise ExecutionFault("arguments", f"{name} takes contiguous arrays of {type_.element}")
    shared = isinstance(value, Window)
    if shared:
        if len({one.nbytes for one in per_rank}) > 1:
            raise ExecutionFault("arguments", f"the windows of {name} differ in size")
        bases, offset = layout.bases(value.group), layout.used[value.group]
        starts = [base + offset for base in bases]
        layout.used[value.group] += (per_rank[0].nbytes + GAP + 511) // 512 * 512
    else:
        starts = list(layout.private)
        for rank, one in enumerate(per_rank):
            layout.private[rank] += (one.nbytes + GAP + 511) // 512 * 512
    regions = []
    for rank, (start, one) in enumerate(zip(starts, per_rank)):
        region = machine.memory.add(Region(name, rank, start, one.nbytes, shared))
        region.data[: one.nbytes] = np.ascontiguousarray(one).reshape(-1).view(np.uint8)
        regions.append(region)
    return Bound(list(starts), regions, per_rank)


def write_contexts(machine: Machine, layout: Layout, args: Sequence[Any], bound: list[Bound]) -> None:
    """Rank as i32 at byte 16, count as i32 at byte 20, the window bases as i64 from byte 32."""
    for number, value in enumerate(args):
        if not isinstance(value, Context):
            continue
        bases = layout.bases(value.group)
        for rank in range(layout.ranks):
            start = layout.private[rank]
            layout.private[rank] += GAP * 2
            region = machine.memory.add(Region(f"context of group {value.group}", rank, start, 32 + 8 * layout.ranks, False))
            region.data.view(np.int32)[4:6] = (rank, layout.ranks)
            region.data.view(np.int64)[4 : 4 + layout.ranks] = bases
            bound[number].values.append(start)


__all__ += ["Problem"]
