"""A random program for several ranks: tasks, kernels and dispatches that know their text.

    case.text                  # a program; its entry is `main`
    case.arguments(call)       # fresh arrays, in the order of the entry's parameters; another `call`, other numbers

What fails is cut down by leaving out statements, tasks and lines of kernels: `smaller(case)`.
"""

from __future__ import annotations

import copy
import dataclasses
import re
from typing import Any, Iterator

import numpy as np

COLS = 8
DTYPES = {"FP32": np.float32, "INT32": np.int32}


@dataclasses.dataclass
class Param:
    """Of a kernel. `kind`: "tensor", "window" or "scalar"; `direction`: "", "Out" or "InOut"."""

    name: str
    kind: str
    shape: str
    dtype: str
    direction: str = ""

    @property
    def text(self) -> str:
        if self.kind == "scalar":
            return f"{self.name}: pl.Scalar[pl.{self.dtype}]"
        form = "pld.DistributedTensor" if self.kind == "window" else "pl.Tensor"
        of = f"{form}[[{self.shape}], pl.{self.dtype}]"
        return f"{self.name}: {f'pl.{self.direction}[{of}]' if self.direction else of}"


@dataclasses.dataclass
class Line:
    """Of a kernel; several when the text has several. `tag`: what a mutation may do to it."""

    text: str
    tag: str = ""  # "wait", "notify", "barrier"


@dataclasses.dataclass
class Kernel:
    name: str
    params: list[Param]
    lines: list[Line]
    split: str = ""  # how a vector half is dealt out, a pl.SplitMode

    @property
    def text(self) -> str:
        settings = f'(attrs={{"split": pl.SplitMode.{self.split}}})' if self.split else ""
        head = f"@pl.jit.incore{settings}\ndef {self.name}({', '.join(p.text for p in self.params)}):"
        return "\n".join([head, *indented([line.text for line in self.lines] or ["pass"])])


@dataclasses.dataclass
class Task:
    """A kernel submitted by an orchestration function. `form`: "call", "spmd", or "at": the body written in place."""

    kernel: Kernel
    args: list[str]
    form: str = "call"
    tid: str = ""
    deps: list[str] = dataclasses.field(default_factory=list)
    blocks: int = 1
    ordered: bool = True
    no_dep: set[int] = dataclasses.field(default_factory=set)
    tag: str = ""
    group: str = "all"

    def lines(self) -> list[str]:
        if self.form == "at":
            return self._in_place()
        args = [f"pl.no_dep({a})" if i in self.no_dep else a for i, a in enumerate(self.args)]
        if self.form == "call":
            if self.deps:
                args.append(f"deps=[{', '.join(self.deps)}]")
            return [f"{self.kernel.name}({', '.join(args)})"]
        head = f"with pl.spmd({self.blocks}{self._settings()}){f' as {self.tid}' if self.tid else ''}:"
        return [head, f"    {self.kernel.name}({', '.join(args)})"]

    def _settings(self) -> str:
        deps = f", deps=[{', '.join(self.deps)}]" if self.deps else ""
        return deps + ("" if self.ordered else ", ordered=False")

    def _in_place(self) -> list[str]:
        """Parameters are replaced by the arguments; what is more than a name gets one before the scope."""
        names, before = {}, []
        for param, arg in zip(self.kernel.params, self.args):
            if not arg.isidentifier():
                name = f"{self.kernel.name}_{param.name}"
                before.append(f"{name} = {arg}")
                arg = name
            names[param.name] = arg
        body = [re.sub(r"\w+", lambda m: names.get(m[0], m[0]), line.text) for line in self.kernel.lines]
        head = f"with pl.at(level=pl.Level.CORE_GROUP{self._settings()}){f' as {self.tid}' if self.tid else ''}:"
        return [*before, head, *indented(body or ["pass"])]


@dataclasses.dataclass
class Text:
    """Statements of an orchestration function as they are: element accesses, tensors created, deferred waits."""

    text: str
    group: str = "all"

    def lines(self) -> list[str]:
        return self.text.split("\n")


@dataclasses.dataclass
class Loop:
    kind: str  # "range", "parallel"
    variable: str
    rounds: int
    body: list[Any]
    group: str = "all"

    def lines(self) -> list[str]:
        inside = [line for s in self.body for line in s.lines()] or ["pass"]
        return [f"for {self.variable} in pl.{self.kind}({self.rounds}):", *indented(inside)]


@dataclasses.dataclass
class Branch:
    condition: str
    body: list[Any]
    orelse: list[Any]
    group: str = "all"

    def lines(self) -> list[str]:
        out = [f"if {self.condition}:", *indented([line for s in self.body for line in s.lines()] or ["pass"])]
        if self.orelse:
            out += ["else:", *indented([line for s in self.orelse for line in s.lines()])]
        return out


@dataclasses.dataclass
class Scope:
    """`kind`: "manual_scope", "scope"."""

    kind: str
    body: list[Any]
    group: str = "all"

    def lines(self) -> list[str]:
        return [f"with pl.{self.kind}():", *indented([line for s in self.body for line in s.lines()] or ["pass"])]


@dataclasses.dataclass
class Phase:
    """Dispatches to all ranks: an orchestration function, a kernel (one task), or lines of the host function."""

    body: list[Any]
    direct: bool = False
    host: str = ""


@dataclasses.dataclass
class Window:
    name: str
    shape: str
    dtype: str
    signal: bool = False
    group: str = "all"
    buffer: str = ""  # a view of this one


@dataclasses.dataclass
class Case:
    seed: int
    ranks: int
    part: tuple[int, int]  # ranks of the second group; empty: there is none
    rows: int  # of each value
    windows: list[Window]
    constants: dict[str, int]
    phases: list[Phase]
    features: set[str]
    mutations: list[str] = dataclasses.field(default_factory=list)
    reusable: bool = False  # leaves windows and cells as it needs to find them
    tiny: bool = False  # takes no arguments: what a host function would pass is made by the orchestration functions

    @property
    def split(self) -> str:
        """Whether kernels that mix products and other work run as two halves."""
        return "split" if "mixed" in self.features and self.seed % 4 else "fused"

    # Text.

    @property
    def text(self) -> str:
        kernels: dict[str, Kernel] = {}
        functions: list[str] = []
        host: list[str] = []
        for number, phase in enumerate(self.phases):
            if phase.host:
                host.append(phase.host)
                continue
            for s in walk(phase.body):
                if isinstance(s, Task) and s.form != "at":
                    kernels[s.kernel.name] = s.kernel
            if phase.direct and not self.tiny and isinstance(phase.body[0], Task):
                host += self._dispatch_kernel(phase.body[0])
                continue
            low, high = self.part
            grouped = any(s.group == "part" for s in phase.body)
            # A window goes to all ranks of its group, also to those whose function has no use for it.
            used = "\n".join(line for s in phase.body for line in s.lines())
            shared = [w for w in self.windows if w.group == "all" and mentions(used, w.name)]
            for group, ranges in (("all", [(0, low), (high, self.ranks)]), ("part", [(low, high)])) if grouped else (
                    ("all", [(0, self.ranks)]),):  # fmt: skip
                body = [s for s in phase.body if group == "part" or s.group == "all"]
                name = f"chip{number}{'_part' if group == 'part' else ''}"
                head, call = self._chip(name, body, shared)
                ranges = [(a, b) for a, b in ranges if a < b]
                if ranges:
                    functions.append(head)
                for a, b in ranges:
                    host += [f"for r in pl.range({a}, {b}):", f"    {call}"]
        used = "\n".join(host)
        allocated = []
        for w in self.windows:
            if not mentions(used, w.name):
                continue
            if w.buffer:
                rows, cols = w.shape.split(", ")
                size = f"{w.buffer} = pld.alloc_window_buffer({4 * int(rows) * int(cols)})"
                allocated += [size] * (size not in allocated)
                allocated.append(f"{w.name} = pld.window({w.buffer}, [{w.shape}], dtype=pl.{w.dtype})")
            elif w.signal:
                allocated.append(f"{w.name} = pld.alloc_signal({w.shape.split(',')[0]})")
            else:
                allocated.append(f"{w.name} = pld.alloc_window([{w.shape}], dtype=pl.{w.dtype})")
        head = ["import tilewire.language as pl", "import tilewire.language.distributed as pld", ""]
        constants = [f"{name} = {value}" for name, value in self.constants.items()]
        params = [] if self.tiny else [p.text for p in self._outer(f"{self.ranks}, ")]
        main = [f"@pl.jit.host\ndef main({', '.join(params)}):", *indented([*allocated, *host] or ["pass"])]
        texts = [*(k.text for k in kernels.values()), *functions, "\n".join(main)]
        return "\n".join([*head, *constants, "", ""]) + "\n" + "\n\n\n".join(texts) + "\n"

    def _outer(self, leading: str) -> list[Param]:
        """What the host function takes, and passes on a part of."""
        return [
            Param("x", "tensor", f"{leading}XROWS, {COLS}", "FP32"),
            Param("xi", "tensor", f"{leading}XROWS, {COLS}", "INT32"),
            Param("y", "tensor", f"{leading}YROWS, {COLS}", "FP32", "InOut"),
            Param("yi", "tensor", f"{leading}YROWS, {COLS}", "INT32", "InOut"),
        ]

    def _chip(self, name: str, body: list[Any], shared: list[Window]) -> tuple[str, str]:
        """The text of an orchestration function, and of the call that dispatches it. `shared`: windows it takes."""
        lines = [line for s in body for line in s.lines()]
        used = "\n".join(lines)
        outer = [p for p in self._outer("") if mentions(used, p.name)]
        windows = [w for w in self.windows if w in shared or mentions(used, w.name)]
        if self.tiny:
            made = [f"{p.name} = pl.create_tensor([{p.shape}], dtype=pl.{p.dtype})" for p in outer]
            lines, outer = made + lines, []
        params = [p.text for p in outer]
        params += [Param(w.name, "window", w.shape, w.dtype, "InOut").text for w in windows]
        args = [f"{p.name}[r]" for p in outer] + [w.name for w in windows]
        head = f"@pl.jit\ndef {name}({', '.join(params)}):"
        return "\n".join([head, *indented(lines or ["pass"])]), f"{name}({', '.join([*args, 'device=r'])})"

    def _dispatch_kernel(self, task: Task) -> list[str]:
        args = [re.sub(r"^(x|xi|y|yi)\b(\[)?", lambda m: f"{m[1]}[r{', ' if m[2] else ']'}", a) for a in task.args]
        blocks = f", blocks={task.blocks}" if task.blocks > 1 else ""
        return [f"for r in pl.range({self.ranks}):", f"    {task.kernel.name}({', '.join(args)}, device=r{blocks})"]

    # Numbers.

    def arguments(self, call: int = 0) -> list[Any]:
        if self.tiny:
            return []
        random = np.random.default_rng([self.seed, call])
        out: list[Any] = []
        for name, dtype in (("XROWS", np.float32), ("XROWS", np.int32), ("YROWS", np.float32), ("YROWS", np.int32)):
            shape = (self.ranks, self.constants[name], COLS)
            out.append(random.integers(-9, 10, shape).astype(dtype) if name == "XROWS" else np.full(shape, -77, dtype))
        return out


def indented(lines: list[str]) -> list[str]:
    return [f"    {part}" for line in lines for part in line.split("\n")]


def mentions(text: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", text) is not None


def walk(body: list[Any]) -> Iterator[Any]:
    for s in body:
        yield s
        if isinstance(s, (Loop, Scope)):
            yield from walk(s.body)
        if isinstance(s, Branch):
            yield from walk(s.body)
            yield from walk(s.orelse)


def bodies(case: Case) -> Iterator[list[Any]]:
    """Every list of statements of orchestration functions."""
    for phase in case.phases:
        yield phase.body
        for s in walk(phase.body):
            if isinstance(s, (Loop, Branch, Scope)):
                yield s.body
            if isinstance(s, Branch):
                yield s.orelse


def kernels(case: Case) -> list[Kernel]:
    found = {s.kernel.name: s.kernel for phase in case.phases for s in walk(phase.body) if isinstance(s, Task)}
    return list(found.values())


# Shrinking.


def smaller(case: Case) -> Iterator[Case]:
    """The programs with one thing left out, the largest things first; none that reads what nothing has written."""
    return (new for new in _cut_down(case) if not any(_reads_unwritten(body) for body in bodies(new)))


def _reads_unwritten(body: list[Any]) -> bool:
    """Whether the first use of a created tensor is another than a task that writes it."""
    for i, s in enumerate(body):
        found = re.match(r"(\w+) = pl.create_tensor", s.text) if isinstance(s, Text) else None
        if not found:
            continue
        use = next((other for other in body[i + 1 :] if mentions("\n".join(other.lines()), found[1])), None)
        if isinstance(use, Task):
            written = [a for a, p in zip(use.args, use.kernel.params) if p.direction and use.kernel.lines]
            if any(mentions(a, found[1]) for a in written):
                continue
        if use is not None:
            return True
    return False


def _cut_down(case: Case) -> Iterator[Case]:
    for i in range(len(case.phases)):
        if len(case.phases) > 1:
            yield _changed(case, lambda c: c.phases.pop(i))
    for number, body in enumerate(bodies(case)):
        for size in (8, 4, 2, 1):
            for i in range(0, len(body) - size + 1, size):
                if size < len(body) or number:
                    yield _changed(case, lambda c: _cut(list(bodies(c))[number], i, size))
        for i, s in enumerate(body):
            if isinstance(s, (Loop, Branch, Scope)):
                yield _changed(case, lambda c: _open(list(bodies(c))[number], i))
            if isinstance(s, Task) and (s.deps or s.no_dep or s.form != "call" or not s.ordered):
                yield _changed(case, lambda c: _plain(list(bodies(c))[number][i]))
    for number, kernel in enumerate(kernels(case)):
        for i in range(len(kernel.lines)):
            yield _changed(case, lambda c: kernels(c)[number].lines.pop(i))
    if case.ranks > max(1, case.part[1]):
        yield dataclasses.replace(copy.deepcopy(case), ranks=case.ranks - 1)


def _changed(case: Case, change: Any) -> Case:
    new = copy.deepcopy(case)
    change(new)
    return new


def _cut(body: list[Any], first: int, count: int) -> None:
    del body[first : first + count]


def _open(body: list[Any], at: int) -> None:
    body[at : at + 1] = body[at].body


def _plain(task: Task) -> None:
    task.deps, task.no_dep, task.ordered, task.form, task.tid = [], set(), True, "call", ""
