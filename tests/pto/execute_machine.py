"""The machine that a module runs on: ranks with windows, blocks with cores, one global memory."""

from __future__ import annotations

import random
from typing import Any, Optional

import execute_comm  # noqa: F401  (the rules register themselves)
import execute_cube  # noqa: F401
import execute_reduce  # noqa: F401
import execute_sort  # noqa: F401
from execute_core import Core
from execute_fault import ExecutionFault, Problem
from execute_memory import GlobalMemory
from execute_pipes import Ring, check_ends
from execute_schedule import PROFILES, Agent, run_to_end
from model import Enum, Function, Module, walk

KINDS = ("cube", "vector")


class Machine:
    """Executes the functions of one launch: `halves`, on every rank and block at once."""

    def __init__(self, module: Module, halves: list[Function], blocks: int, seed: int, max_steps: int):
        self.functions = {function.name: function for function in module.functions}
        self.halves, self.blocks = halves, blocks
        self.profile = PROFILES[seed % len(PROFILES)]
        self.schedule = random.Random(f"schedule {seed}")
        self.chance = random.Random(f"values {seed}")
        self.max_steps, self.steps = max_steps, 0
        self.memory = GlobalMemory()
        self.cores: list[Core] = []
        self.rings: dict[tuple[int, int, int, str], Ring] = {}
        self.printed: list[str] = []
        self.buffer_names: list[str] = []
        ops = [op for function in module.functions for op in walk(function.body)]
        addresses = {bool(op.group("addr")) for op in ops if op.name == "pto.alloc_tile"}
        addresses |= {op.attributes.get("auto") is False for op in ops if op.name == "pto.reserve_buffer"}
        if len(addresses) > 1:
            raise ExecutionFault("address", "some tiles and buffers of the module have addresses and others none")
        self.level = 3 if addresses == {True} else 2
        splits = {op.attributes.get("split") for op in ops if op.name.startswith(("pto.tpush", "pto.tpop", "pto.tfree"))}
        self.lanes = 2 if len(halves) > 1 and splits - {0, None} else 1

    def kind_of(self, function: Function) -> str:
        kind = function.attributes.get("pto.kernel_kind")
        if not isinstance(kind, Enum) or kind.value not in KINDS:
            raise ExecutionFault("kernel-kind", f"@{function.name} has no pto.kernel_kind")
        return kind.value

    def count_step(self) -> None:
        self.steps += 1
        if self.steps > self.max_steps:
            raise Problem("steps", f"more than {self.max_steps} steps: a loop that does not end, or a test that never holds")

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

    def launch(self, ranks: int, arguments: list[list[Any]]) -> None:
        """`arguments` by rank."""
        agents: list[Agent] = []
        for rank in range(ranks):
            for block in range(self.blocks):
                for function in self.halves:
                    kind = self.kind_of(function)
                    for lane in range(self.lanes if kind == "vector" else 1):
                        core = Core(self, kind, rank, block, lane, self.chance)
                        self.cores.append(core)
                        weight = self.profile.slow if self.schedule.random() < 0.5 else 1.0
                        agents.append(Agent(core, core.call(function, arguments[rank]), weight))
        try:
            run_to_end(self, agents, self.schedule)
            check_ends(self.rings)
        except Problem as problem:
            raise ExecutionFault(problem.code, problem.message) from None
