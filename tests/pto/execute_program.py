"""Executes whole programs that were emitted for PTO: the host side as C++, its kernels with NumPy.

    program = Program(folder)                       # what `tilewire emit --target pto FILE -o folder` wrote
    program.run([x, y], ranks=4, seed=1)            # arrays are changed in place; numbers are scalars

PROGRAM_host.cpp is compiled with execute_host.cpp, a runtime that asks here for memory, tasks and progress. All tasks
share one machine, so tasks of one rank that nothing orders, and ranks, run at the same time.
"""

from __future__ import annotations

import hashlib
import json
import pathlib
import random
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

import ml_dtypes
import numpy as np

from execute_fault import ExecutionFault
from execute_machine import Launch, Machine
from execute_memory import GAP, Region
from execute_scalars import FLOATS, wrap
from execute_schedule import run_until
from execute_tiles import NUMPY
from model import Function, Module, Ptr, Scalar, Type
from syntax import parse

Array = Any
HERE = pathlib.Path(__file__).parent
# In the order of abi::ElementType.
DTYPES = "BOOL INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 FP16 BF16 FP32".split()
ARRAYS = dict(zip(DTYPES, (
    np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float16, ml_dtypes.bfloat16, np.float32,
)))
COMPARE: list[Callable[[int, int], bool]] = [  # in the order of abi::Compare
    lambda a, b: a == b, lambda a, b: a >= b, lambda a, b: a != b, lambda a, b: a > b, lambda a, b: a < b, lambda a, b: a <= b,
]


@dataclass
class Kernel:
    module: Module
    lines: list[str]
    halves: list[Function]


@dataclass(eq=False)
class Task:
    """A launch that starts when the tasks in `after` have ended, or conditions on signals."""

    number: int
    rank: int
    after: list[int]
    kernel: str = ""
    blocks: int = 0
    bits: list[int] = field(default_factory=list)
    conditions: list[tuple[int, int, int]] = field(default_factory=list)  # those that have not held
    launch: Optional[Launch] = None
    ended: bool = False


class Program:
    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.table = json.loads((folder / "kernel_table.json").read_text())
        self.kernels = {one["name"]: one for one in self.table["kernels"]}
        self.entries = {one["name"]: one for one in self.table["entries"]}

    def kernel(self, name: str) -> Kernel:
        record = self.kernels[name]
        text = (self.folder / record["file"]).read_text()
        module = parse(text)
        functions = {function.name: function for function in module.functions}
        halves = [functions[record[half]] for half in ("cube", "vector") if record[half]]
        return Kernel(module, text.split("\n"), halves)

    def executable(self, entry: str) -> pathlib.Path:
        """The host side with a call of the entry; programs with the same text share it."""
        host = self.folder / "host"
        (source,) = [path for path in host.glob("*_host.cpp") if not path.name.startswith("tilewire_pto")]
        space = source.name.removesuffix("_host.cpp")
        record = self.entries[entry]
        values = ", ".join(["asking"] + [f"asking.value({k})" for k in range(len(record["parameters"]))])
        call = (
            f'#include "execute_host.h"\n#include "{space}_host.h"\n'
            f"void run_program(tilewire::pto::Asking& asking) {{ {space}::{record['function']}({values}); }}\n"
        )
        linked = objects(host)
        target = kept("program", call.encode(), source.read_bytes(), source.with_suffix(".h").read_bytes(), *map(str.encode, linked))
        if not target.exists():
            main = target.with_suffix(".cpp")
            main.write_text(call)
            compile_cpp(["-I", str(host), "-I", str(HERE), str(main), str(source), *linked, "-pthread", "-o", str(target)])
        return target

    def run(self, args: Sequence[Any], *, ranks: int = 1, seed: int = 0, entry: Optional[str] = None, max_steps: int = 5_000_000) -> list[str]:
        """Runs an entry, the only one when none is named; returns what kernels printed."""
        if entry is None:
            (entry,) = self.entries
        return Run(self, entry, args, ranks, seed, max_steps).run()


def compile_cpp(arguments: list[str]) -> None:
    cached = ["ccache"] if shutil.which("ccache") else []
    made = subprocess.run([*cached, "g++", "-std=c++17", "-O0", *arguments], capture_output=True, text=True, check=False)
    if made.returncode:
        raise AssertionError(f"the host side does not compile:\n{made.stderr[:4000]}")


KEPT = tempfile.TemporaryDirectory(prefix="pto-host-")


def kept(name: str, *contents: bytes) -> pathlib.Path:
    """Where what is made of these texts lies, for as long as this process runs."""
    return pathlib.Path(KEPT.name) / f"{name}-{hashlib.sha256(b'/'.join(contents)).hexdigest()[:16]}"


def objects(host: pathlib.Path) -> list[str]:
    """The interface and the runtime, compiled once for all programs that bring the same one."""
    sources = [path for path in sorted(host.rglob("*.cpp")) if path.name.startswith("tilewire_pto") or path.parent != host]
    headers = [path for path in sorted(host.rglob("*.h")) if path.name.startswith("tilewire_pto") or path.parent != host]
    common = b"".join(path.read_bytes() for path in headers)
    made = []
    for source in [*sources, HERE / "execute_host.cpp"]:
        target = kept(source.stem, common, source.read_bytes()).with_suffix(".o")
        if not target.exists():
            compile_cpp(["-I", str(host), "-I", str(HERE), "-c", str(source), "-o", str(target)])
        made.append(str(target))
    return made


class Run:
    """One call of an entry."""

    def __init__(self, program: Program, entry: str, args: Sequence[Any], ranks: int, seed: int, max_steps: int):
        self.program, self.entry, self.ranks = program, entry, ranks
        self.machine = Machine(seed, max_steps)
        self.machine.describe = self.describe
        self.chance = random.Random(f"layout {seed}")
        self.next = [(rank + 1) << 40 for rank in range(ranks)]
        self.kernels: dict[str, Kernel] = {}
        self.tasks: list[list[Task]] = [[] for _ in range(ranks)]
        self.open: list[Task] = []  # that have not ended
        self.released: list[tuple[Region, int, list[int]]] = []
        self.groups: list[Region] = []
        parameters = program.entries[entry]["parameters"]
        if len(args) != len(parameters):
            raise ExecutionFault("arguments", f"{entry} takes {len(parameters)} arguments, {len(args)} given")
        self.answers: list[str] = []
        self.arrays: list[tuple[Region, Array]] = []
        address = 1 << 36
        for parameter, value in zip(parameters, args):
            if parameter["kind"] != "tensor":
                self.answers.append(f"float {float(value)!r}" if isinstance(value, float) else f"integer {int(value)}")
                continue
            if not isinstance(value, np.ndarray) or value.dtype != np.dtype(ARRAYS[parameter["dtype"]]) or not value.flags["C_CONTIGUOUS"]:
                raise ExecutionFault("arguments", f"{parameter['name']} takes a contiguous array of {parameter['dtype']}")
            region = self.machine.memory.add(Region(parameter["name"], 0, address, value.nbytes, True))
            region.data[: value.nbytes] = value.reshape(-1).view(np.uint8)
            address += (value.nbytes + GAP + 511) // 512 * 512
            shape = " ".join(map(str, (value.ndim, *value.shape)))
            self.answers.append(f"tensor {region.base} {DTYPES.index(parameter['dtype'])} {shape}")
            self.arrays.append((region, value))

    def run(self) -> list[str]:
        executable = self.program.executable(self.entry)
        with subprocess.Popen([str(executable)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdin and process.stdout
                for line in process.stdout:
                    if line.startswith("done"):
                        break
                    if line.startswith("error"):
                        raise ExecutionFault("host", line.partition(" ")[2].strip())
                    process.stdin.write(self.answer(line.split()) + "\n")
                    process.stdin.flush()
                else:
                    raise ExecutionFault("host", "the host side ended before it was done")
            finally:
                process.kill()
        if self.open:
            raise ExecutionFault("host", f"the host side ended while {len(self.open)} tasks had not")
        for region, array in self.arrays:
            array[...] = region.data[: region.size].view(array.dtype).reshape(array.shape)
        return self.machine.printed

    def answer(self, words: list[str]) -> str:
        name, numbers = words[0], words[1:]
        if name == "submit":
            return self.submit(numbers)
        if name == "write":
            data = b"" if numbers[1] == "-" else bytes.fromhex(numbers[1])
            region = self.machine.memory.locate(int(numbers[0]), int(numbers[0]) + len(data), 0, True)
            start = int(numbers[0]) - region.base
            region.data[start : start + len(data)] = np.frombuffer(data, np.uint8)
            return "0"
        return str(getattr(self, name)(*map(int, numbers)))

    # -- what the host side asks for ----------------------------------------------------------------------------------

    def world(self) -> int:
        return self.ranks

    def argument(self, number: int) -> str:
        return self.answers[number]

    def reserve(self, name: str, rank: int, size: int, shared: bool) -> Region:
        self.next[rank] += 512 * self.chance.randrange(1, 64)
        region = self.machine.memory.add(Region(name, rank, self.next[rank], size, shared))
        self.next[rank] += (size + GAP + 511) // 512 * 512
        return region

    def allocate(self, rank: int, size: int) -> int:
        return self.reserve("a created tensor", rank, size, False).base

    def release(self, rank: int, address: int, _count: int, *after: int) -> int:
        self.released.append((self.machine.memory.locate(address, address, rank), rank, list(after)))
        return 0

    def group(self, size: int, count: int, *members: int) -> str:
        regions = [self.reserve(f"windows of rank {rank}", rank, size, True) for rank in members]
        shares = []
        for number, (rank, region) in enumerate(zip(members, regions)):
            region.data[:] = 0
            context = self.reserve("a context", rank, 32 + 8 * count, False)
            context.data.view(np.int32)[4:6] = (number, count)
            context.data.view(np.int64)[4 : 4 + count] = [one.base for one in regions]
            shares += [region.base, context.base]
        return " ".join(map(str, shares))

    def release_groups(self) -> int:
        return 0

    def submit(self, words: list[str]) -> str:
        rank, kernel, blocks = int(words[0]), words[1], int(words[2])
        numbers = list(map(int, words[3:]))
        after, bits = numbers[1 : 1 + numbers[0]], numbers[2 + numbers[0] :]
        return str(self.new_task(Task(len(self.tasks[rank]) + 1, rank, after, kernel, blocks, bits)))

    def defer(self, rank: int, count: int, *numbers: int) -> int:
        cells = numbers[count + 1 :]
        conditions = [(cells[k], cells[k + 1], cells[k + 2]) for k in range(0, len(cells), 3)]
        return self.new_task(Task(len(self.tasks[rank]) + 1, rank, list(numbers[:count]), conditions=conditions))

    def new_task(self, task: Task) -> int:
        self.tasks[task.rank].append(task)
        self.open.append(task)
        return task.number

    def ended(self, rank: int, number: int) -> int:
        return int(self.tasks[rank][number - 1].ended)

    def progress(self, *numbers: int) -> int:
        """Lets kernels run until the tasks that some rank waits for have ended; returns its place."""
        waits: list[tuple[int, int, list[int]]] = []
        at = 0
        while at < len(numbers):
            count = numbers[at + 2]
            waits.append((numbers[at], numbers[at + 1], list(numbers[at + 3 : at + 3 + count])))
            at += 3 + count

        def free() -> list[int]:
            self.advance()
            return [place for place, rank, tasks in waits if self.all_ended(rank, tasks)]

        run_until(self.machine, lambda: bool(free()))
        return self.machine.schedule.choice(free())

    def read(self, address: int, size: int) -> str:
        region = self.machine.memory.locate(address, address + size, 0, True)
        return bytes(region.data[address - region.base :][:size]).hex()

    # -- tasks --------------------------------------------------------------------------------------------------------

    def all_ended(self, rank: int, tasks: list[int]) -> bool:
        return all(self.tasks[rank][number - 1].ended for number in tasks)

    def advance(self) -> None:
        """Starts what may start, and ends what has ended."""
        moved = True
        while moved:
            moved = False
            for task in list(self.open):
                if task.launch is None:
                    if not self.all_ended(task.rank, task.after):
                        continue
                    if task.kernel:
                        self.start(task)
                    else:
                        task.conditions = [one for one in task.conditions if not self.holds(*one)]
                        task.ended = not task.conditions
                if task.launch and task.launch.ended():
                    task.launch.check_end()
                    task.ended = True
                if task.ended:
                    self.open.remove(task)
                    moved = True
        for one in list(self.released):
            region, rank, after = one
            if self.all_ended(rank, after):
                self.machine.memory.remove(region)
                self.released.remove(one)

    def holds(self, cell: int, compare: int, expected: int) -> bool:
        region = self.machine.memory.locate(cell, cell + 4, 0, True)
        return COMPARE[compare](int(region.data.view(np.int32)[(cell - region.base) // 4]), expected)

    def start(self, task: Task) -> None:
        if task.kernel not in self.kernels:
            self.kernels[task.kernel] = self.program.kernel(task.kernel)
        kernel = self.kernels[task.kernel]
        types = [type_ for _, type_ in kernel.halves[0].parameters]
        if len(types) != len(task.bits) or any([t for _, t in half.parameters] != types for half in kernel.halves):
            raise ExecutionFault("arguments", f"the text of {task.kernel} takes {len(types)} parameters, the host side passes {len(task.bits)}")
        task.launch = Launch(self.machine, kernel.module, kernel.halves, task.rank, task.blocks, kernel.lines)
        task.launch.start([value_of(bits, type_) for bits, type_ in zip(task.bits, types)])

    def describe(self) -> list[str]:
        """What is open, for a deadlock."""
        lines = []
        for task in self.open:
            if task.kernel and not task.launch:
                lines.append(f"task {task.number} of rank {task.rank}, {task.kernel}, waits for tasks {task.after}")
            elif task.conditions:
                lines.append(f"task {task.number} of rank {task.rank} waits for {len(task.conditions)} conditions on signals")
        return lines


def value_of(bits: int, type_: Type) -> Any:
    """The value of a parameter from the bits that the host side passes."""
    if isinstance(type_, Ptr):
        return bits
    assert isinstance(type_, Scalar)
    if type_.name in FLOATS:
        width = np.dtype(NUMPY[type_.name]).itemsize
        return float(np.frombuffer(struct.pack("<Q", bits)[:width], NUMPY[type_.name])[0])
    return wrap(bits, type_.name)
