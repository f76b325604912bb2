"""The machine that modules run on: one global memory, and the cores of the launches that are under way."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Optional

import execute_comm  # noqa: F401  (the rules register themselves)
import execute_cube  # noqa: F401
import execute_reduce  # noqa: F401
import execute_sort  # noqa: F401
from execute_core import Core
from execute_fault import ExecutionFault, Problem
from execute_memory import GlobalMemory
from execute_pipes import Ring, check_ends
from execute_schedule import PROFILES, Agent
from model import Enum, Function, Module, walk

KINDS = ("cube", "vector")


class Machine:
    """What all launches share. The seed decides the order of cores and when stores land."""

    def __init__(self, seed: int, max_steps: int):
        self.profile = PROFILES[seed % len(PROFILES)]
        self.schedule = random.Random(f"schedule {seed}")
        self.chance = random.Random(f"values {seed}")
        self.max_steps, self.steps = max_steps, 0
        self.memory = GlobalMemory()
        self.agents: list[Agent] = []
        self.printed: list[str] = []
        self.describe: Callable[[], list[str]] = list  # what else is open, for a deadlock

    def count_step(self) -> None:
        self.steps += 1
        if self.steps > self.max_steps:
            raise Problem("steps", f"more than {self.max_steps} steps: a loop that does not end, or a test that never holds")


class Launch:
    """A kernel on one rank: `halves`, a function or the cube and the vector function of a mixed kernel, in every block."""

    def __init__(
        self, machine: Machine, module: Module, halves: list[Function], rank: int, blocks: int, lines: Sequence[str] = ()
    ):
        self.machine, self.halves, self.rank, self.blocks = machine, halves, rank, blocks
        self.lines = lines  # of the text, for faults
        self.functions = {function.name: function for function in module.functions}
        self.cores: list[Core] = []
        self.agents: list[Agent] = []
        self.rings: dict[tuple[int, int, str], Ring] = {}
        self.buffer_names: list[str] = []
        ops = [op for function in module.functions for op in walk(function.body)]
        addresses = {bool(op.group("addr")) for op in ops if op.name == "pto.alloc_tile"}
        addresses |= {op.attributes.get("auto") is False for op in ops if op.name == "pto.reserve_buffer"}
        if len(addresses) > 1:
            raise ExecutionFault("address", "some tiles and buffers of the module have addresses and others none")
        self.level = 3 if addresses == {True} else 2
        splits = {op.attributes.get("split") for op in ops if op.name.startswith(("pto.tpush", "pto.tpop", "pto.tfree"))}
        self.lanes = 2 if len(halves) > 1 and splits - {0, None} else 1

    def start(self, arguments: list[Any]) -> None:
        """Its cores are from now on among those that may go on."""
        schedule, slow = self.machine.schedule, self.machine.profile.slow
        for block in range(self.blocks):
            for function in self.halves:
                kind = kind_of(function)
                for lane in range(self.lanes if kind == "vector" else 1):
                    core = Core(self, kind, self.rank, block, lane)
                    self.cores.append(core)
                    weight = slow if schedule.random() < 0.5 else 1.0
                    self.agents.append(Agent(core, core.call(function, arguments), weight))
        self.machine.agents.extend(self.agents)

    def line(self, number: int) -> str:
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def ended(self) -> bool:
        """Whether all its cores have ended and what they stored has landed."""
        return all(agent.done and not agent.core.port.pending for agent in self.agents)

    def check_end(self) -> None:
        try:
            check_ends(self.rank, self.rings)
        except Problem as problem:
            raise ExecutionFault(problem.code, problem.message) from None

    def buffer_address(self, name: str) -> int:
        """Of a buffer whose address is left to the assembler: any number will do, the same in both halves."""
        if name not in self.buffer_names:
            self.buffer_names.append(name)
        return 0x100000 * (self.buffer_names.index(name) + 1)

    def reserved(self, function: str, name: str) -> Optional[int]:
        """The address of the buffer that a function reserves, known without executing it."""
        for op in walk(self.functions[function].body):
            if op.name == "pto.reserve_buffer" and op.attributes.get("name") == name:
                base = op.attributes.get("base")
                return base if self.level == 3 and isinstance(base, int) else self.buffer_address(name)
        return None


def kind_of(function: Function) -> str:
    kind = function.attributes.get("pto.kernel_kind")
    if not isinstance(kind, Enum) or kind.value not in KINDS:
        raise ExecutionFault("kernel-kind", f"@{function.name} has no pto.kernel_kind")
    return kind.value
