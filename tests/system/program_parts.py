"""What the pieces of a random program are made from: values, windows, cells, kernels and tasks with fresh names.

A value is a region of a tensor that this rank may read from here on. All values of a program have the same shape, so
any of them can be the operand of any kernel.
"""

from __future__ import annotations

import dataclasses
import random
from typing import Any

from program_case import COLS, Case, Kernel, Line, Param, Phase, Task, Text, Window

MODULUS = {"FP32": "31.0", "INT32": "31"}  # keeps every number small enough to be exact


@dataclasses.dataclass(frozen=True)
class Ref:
    """`text` is an argument: a name, or a slice of one."""

    text: str
    rows: int
    dtype: str
    group: str = "all"
    window: bool = False

    @property
    def shape(self) -> str:
        return f"{self.rows}, {COLS}"


def created(name: str, rows: int, dtype: str, filled: bool = True) -> Text:
    if not filled:
        return Text(f"{name} = pl.create_tensor([{rows}, {COLS}], dtype=pl.{dtype})")
    zero = "0.0" if dtype == "FP32" else "0"
    return Text(f"{name} = pl.tensor.full([{rows}, {COLS}], dtype=pl.{dtype}, value={zero})")


class Parts:
    """Names and storage of one program."""

    def __init__(self, seed: int, tiny: bool = False):
        self.random = random.Random(f"program {seed}")
        self.seed = seed
        self.tiny = tiny
        self.ranks = self.pick(1, 2, 2, 3) if tiny else self.pick(1, 2, 2, 3, 3, 4, 5)
        self.rows = 1 if tiny else self.pick(1, 1, 2, 2, 4)
        self.part = (0, 0)
        if self.ranks > 1 and self.chance(0.1 if tiny else 0.35):
            size = self.random.randint(1, self.ranks - 1)
            low = self.random.randint(0, self.ranks - size)
            self.part = (low, low + size)
        self.count = 0
        self.values: list[Ref] = []
        self.windows: list[Window] = []
        self.free: list[Ref] = []  # windows that a barrier makes available again
        self.cells = {"all": 0, "part": 0}
        self.results = {"FP32": 0, "INT32": 0}  # values of `y`, `yi`
        self.features: set[str] = set()
        self.group = "all"  # of the piece that is being made
        self.steps: list[Any] = []  # its statements
        self.direct = False  # the piece is a kernel that the host dispatches
        self.reusable = not tiny and self.chance(0.2)
        self.prints = self.chance(0.25)
        self.simple = self.chance(0.5)  # no cells that are general: it is decided by the exact tier
        for first in range(3):
            for name, dtype in (("x", "FP32"), ("xi", "INT32")):
                self.values.append(self.part_of(name, first * self.rows, dtype))

    # Choices.

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    @property
    def size(self) -> int:
        """Ranks of the group."""
        return self.ranks if self.group == "all" else self.part[1] - self.part[0]

    # Storage.

    def part_of(self, name: str, first: int, dtype: str) -> Ref:
        return Ref(f"{name}[{first}:{first + self.rows}]", self.rows, dtype, self.group)

    def value(self, dtype: str = "") -> Ref:
        """One that is readable; the newest more often, so that pieces depend on each other."""
        fitting = [v for v in self.values if v.group in ("all", self.group) and dtype in ("", v.dtype)]
        return self.random.choice(fitting[-3:] if self.chance(0.6) else fitting)

    def result(self, dtype: str = "") -> Ref:
        """A place of `y` that nothing has written."""
        dtype = dtype or self.pick("FP32", "FP32", "INT32")
        name = "y" if dtype == "FP32" else "yi"
        ref = self.part_of(name, self.results[dtype] * self.rows, dtype)
        self.results[dtype] += 1
        return ref

    def made(self, dtype: str = "", rows: int = 0, filled: bool = True) -> Ref:
        """A tensor that the orchestration function creates. Filling it is a task like any other: what leaves the order
        of its arguments must write one that is not filled, and all of it."""
        dtype = dtype or self.pick("FP32", "INT32")
        rows = rows or self.rows
        name = self.name("t")
        self.add(created(name, rows, dtype, filled))
        return Ref(name, rows, dtype, self.group)

    def place(self, dtype: str = "") -> Ref:
        return self.result(dtype) if self.direct or self.chance(0.7) else self.made(dtype)

    def window(self, dtype: str = "", rows: int = 0) -> Ref:
        """A window of the group that is all zero, or a part of one."""
        dtype = dtype or self.pick("FP32", "FP32", "INT32")
        rows = rows or self.rows
        if rows == self.rows and self.chance(0.3):
            name = self.name("w")
            self.windows.append(Window(name, f"{2 * rows}, {COLS}", dtype, group=self.group))
            lower = Ref(f"{name}[0:{rows}]", rows, dtype, self.group, True)
            upper = Ref(f"{name}[{rows}:{2 * rows}]", rows, dtype, self.group, True)
            self.free.append(upper)
            return lower
        fitting = [w for w in self.free if (w.rows, w.dtype, w.group) == (rows, dtype, self.group)]
        if fitting and self.chance(0.5):
            found = self.random.choice(fitting)
            self.free.remove(found)
            return found
        return self.fresh_window(dtype, rows)

    def wide(self, dtype: str) -> Ref:
        """A window with a block of rows per rank."""
        return self.window(dtype, self.size * self.rows) if self.size > 1 else self.fresh_window(dtype, self.rows)

    def fresh_window(self, dtype: str, rows: int) -> Ref:
        name = self.name("w")
        self.windows.append(Window(name, f"{rows}, {COLS}", dtype, group=self.group))
        return Ref(name, rows, dtype, self.group, True)

    @property
    def signal(self) -> str:
        return "s" if self.group == "all" else "sp"

    def cell(self, count: int = 1) -> int:
        """The first of `count` cells that nothing else uses."""
        first = self.cells[self.group]
        self.cells[self.group] += count
        return first

    # Statements.

    def add(self, step: Any) -> Any:
        step.group = self.group
        self.steps.append(step)
        return step

    def param(self, name: str, ref: Ref, direction: str = "", window: bool = False) -> Param:
        """A window may be a plain tensor to a kernel that uses only this rank's copy; `window`: it uses more."""
        plain = ref.window and not window and self.chance(0.5)
        if plain:
            self.features.add("plain")
        return Param(name, "window" if ref.window and not plain else "tensor", ref.shape, ref.dtype, direction)

    def signal_param(self, name: str = "s") -> Param:
        return Param(name, "window", "CELLS, 1" if self.group == "all" else "PART_CELLS, 1", "INT32", "InOut")

    def collective_param(self, name: str = "c") -> Param:
        return Param(name, "window", "ROOM, 1", "INT32", "InOut")

    @property
    def collective_signal(self) -> str:
        return "c" if self.group == "all" else "cp"

    def kernel(self, params: list[Param], lines: list[Any]) -> Kernel:
        made = [line if isinstance(line, Line) else Line(line) for line in lines]
        kernel = Kernel(self.name("k"), params, made)
        if self.prints and self.chance(0.3):
            self.print(kernel)
        return kernel

    def print(self, kernel: Kernel) -> None:
        """Somewhere in the kernel, of something that is the same in every schedule when the program is proved."""
        things = ["pl.tile.get_block_idx()"]
        for p in kernel.params:
            if p.kind == "tensor" and not p.direction:
                things.append(f"pl.load({p.name}, [0, 0], [1, {COLS}])")
        line = Line(f'pl.print({self.pick(*things)}, "{kernel.name}")')
        kernel.lines.insert(self.random.randrange(len(kernel.lines) + 1), line)
        self.features.add("print")

    def task(self, kernel: Kernel, args: list[Any], form: str = "", **settings: Any) -> Task:
        """Submitted; without a `form`, in any of them that fits."""
        texts = [a.text if isinstance(a, Ref) else a for a in args]
        plain = any(p.kind == "tensor" and isinstance(a, Ref) and a.window for p, a in zip(kernel.params, args))
        scalar = any(p.kind == "scalar" for p in kernel.params)
        if self.direct:
            form = "call"
        if not form:
            form = self.pick("call", "call", "call", "spmd", *([] if plain or scalar else ["at"]))
        if form == "at":
            self.features.add("at")
        return self.add(Task(kernel, texts, form, **settings))

    def loaded(self, name: str, ref: Ref, dtype: str) -> str:
        """The text of a tile of `dtype` made from a parameter."""
        return f"pl.load({name})" if ref.dtype == dtype else f"pl.cast(pl.load({name}), pl.{dtype})"

    def loaded_row(self, name: str, ref: Ref, dtype: str, row: str = "0") -> str:
        """The same of one row."""
        tile = f"pl.load({name}, [{row}, 0], [1, {COLS}])"
        return tile if ref.dtype == dtype else f"pl.cast({tile}, pl.{dtype})"

    def changed(self, tile: str, dtype: str) -> str:
        """A tile computed from one, with small numbers again."""
        number = self.random.randint(1, 5)
        number_text = f"{number}.0" if dtype == "FP32" else str(number)
        op = self.pick("{0} + {1}", "{0} * {1}", "{0} - {1}", "pl.maximum({0}, {1})", "-{0}")
        return f"pl.rem({op.format(tile, number_text)}, {MODULUS[dtype]})"

    # The program.

    def case(self, phases: list[Phase]) -> Case:
        constants = {"XROWS": 3 * self.rows, "YROWS": max(1, *self.results.values()) * self.rows}
        if self.cells["all"]:
            constants["CELLS"] = self.cells["all"]
        if self.cells["part"]:
            constants["PART_CELLS"] = self.cells["part"]
        constants["ROOM"] = 4 * self.ranks
        windows = list(self.windows)
        windows.append(Window("s", "CELLS, 1", "INT32", True))
        windows.append(Window("sp", "PART_CELLS, 1", "INT32", True, "part"))
        windows.append(Window("c", "ROOM, 1", "INT32", True))
        windows.append(Window("cp", "ROOM, 1", "INT32", True, "part"))
        return Case(self.seed, self.ranks, self.part, self.rows, windows, constants, phases, self.features,
                    reusable=self.reusable, tiny=self.tiny)  # fmt: skip
