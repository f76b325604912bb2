"""A program of a differential test: statements that know their text and how to carry themselves out on Values.

    case.text                       # a program; its entry is `main`
    case.arguments()                # fresh arrays and numbers, in the order of the entry's parameters
    case.expected()                 # a kernel_values.Value per output: what NumPy says comes out

A case that fails can be cut down by leaving statements out: `shrink(case, fails)`.
"""

from __future__ import annotations

import dataclasses
import time
from typing import Any, Callable

import numpy as np

from kernel_values import Dtype, Unsuitable, Value

Environment = dict[str, Any]  # Values of tiles, Python numbers of scalars


class Broke(Exception):
    """`break` in a loop."""


# Statements.


@dataclasses.dataclass
class Assign:
    name: str
    text: str
    run_one: Callable[[Environment], Any]

    def lines(self) -> list[str]:
        return [f"{self.name} = {self.text}"]

    def run(self, env: Environment) -> None:
        env[self.name] = self.run_one(env)


@dataclasses.dataclass
class Block:
    """A statement with statements inside. `header` of a second branch is "else:"."""

    kind: str  # "for", "while", "if"
    header: str
    body: list[Any]
    orelse: list[Any]
    rounds: Callable[[Environment], Any]  # the values of the loop variable, or whether a condition holds
    variable: str = ""

    def lines(self) -> list[str]:
        def indented(body: list[Any]) -> list[str]:
            return [f"    {line}" for s in body for line in s.lines()] or ["    pass"]

        out = [self.header, *indented(self.body)]
        if self.orelse:
            out += ["else:", *indented(self.orelse)]
        return out

    def run(self, env: Environment) -> None:
        if self.kind == "if":
            for s in self.body if self.rounds(env) else self.orelse:
                s.run(env)
            return
        try:
            for i in self.rounds(env):
                env[self.variable] = i
                for s in self.body:
                    s.run(env)
        except Broke:
            pass


@dataclasses.dataclass
class BreakIf:
    text: str
    condition: Callable[[Environment], bool]

    def lines(self) -> list[str]:
        return [f"if {self.text}:", "    break"]

    def run(self, env: Environment) -> None:
        if self.condition(env):
            raise Broke


@dataclasses.dataclass
class Store:
    tile: str
    output: str
    tensors: bool  # a tensor is stored, not a tile

    def lines(self) -> list[str]:
        rows = f"{self.output.upper()}_ROWS"
        if self.tensors:
            return [f"{self.output}[part * {rows} : part * {rows} + {rows}, :] = {self.tile}"]
        return [f"{self.output} = pl.store({self.tile}, [part * {rows}, 0], {self.output})"]

    def run(self, env: Environment) -> None:
        value, target = env[self.tile], env[self.output]
        rows, cols = value.v.shape
        first = env["part"] * value.shape[0]
        if first + rows > target.v.shape[0] or cols > target.v.shape[1]:
            raise Unsuitable("a store outside")
        target.v[first : first + rows, :cols] = value.v
        target.e[first : first + rows, :cols] = value.e


# Programs.


@dataclasses.dataclass
class Input:
    name: str
    dtype: Dtype
    data: Any
    text: str  # of its type


@dataclasses.dataclass
class Output:
    name: str
    dtype: Dtype
    shape: tuple[int, int]  # of the tile; the array has `parts` of them below each other


@dataclasses.dataclass
class Case:
    seed: int
    inputs: list[Input]
    scalars: dict[str, tuple[Dtype, Any]]
    outputs: list[Output]
    parts: int
    launch: str
    body: list[Any]

    def _parameters(self) -> list[tuple[str, str]]:
        out = [(x.name, x.text) for x in self.inputs]
        out += [(name, f"pl.Scalar[pl.{dtype}]") for name, (dtype, _) in self.scalars.items()]
        for o in self.outputs:
            out.append((o.name, f"pl.InOut[pl.Tensor[[{self.parts * o.shape[0]}, {o.shape[1]}], pl.{o.dtype}]]"))
        return out

    @property
    def text(self) -> str:
        parameters = self._parameters()
        names = ", ".join(name for name, _ in parameters)
        results = ", ".join(o.name for o in self.outputs)
        in_blocks = self.launch == "spmd"

        def head(name: str, decorator: str, extra: str = "") -> list[str]:
            lines = [f"    {n}: {t}," for n, t in parameters]
            return [decorator, f"def {name}(", *lines, *([extra] if extra else []), "):"]

        lines = ["import tilewire.language as pl", "", 'ROWS = pl.dynamic("ROWS")']
        lines += [f"{o.name.upper()}_ROWS = {o.shape[0]}" for o in self.outputs]
        lines += ["", "", *head("kernel", "@pl.jit.incore", "" if in_blocks else "    part: pl.Scalar[pl.INDEX],")]
        if in_blocks:
            lines.append("    part = pl.tile.get_block_idx()")
        lines += [f"    {line}" for s in self.body for line in s.lines()]
        lines += [f"    return {results}", "", "", *head("main", "@pl.jit")]
        if in_blocks:
            lines += [f"    with pl.spmd({self.parts}):", f"        {results} = kernel({names})"]
        elif self.parts == 1:
            lines.append(f"    {results} = kernel({names}, 0)")
        else:
            lines += [f"    for p in pl.{self.launch}({self.parts}):", f"        {results} = kernel({names}, p)"]
        return "\n".join([*lines, f"    return {results}", ""])

    def arguments(self) -> list[Any]:
        numbers = [value for _, value in self.scalars.values()]
        return [x.data.copy() for x in self.inputs] + numbers + [self.initial(o) for o in self.outputs]

    def initial(self, output: Output) -> Any:
        """What is not written must stay: the outputs start as something to recognise."""
        count = self.parts * output.shape[0] * output.shape[1]
        pattern = np.arange(count) % 7 + 1
        return pattern.reshape(-1, output.shape[1]).astype(output.dtype.array)

    def expected(self) -> list[Value]:
        env: Environment = {name: value for name, (_, value) in self.scalars.items()}
        for x in self.inputs:
            env[x.name] = Value.exact(x.dtype, x.data)
        for o in self.outputs:
            env[o.name] = Value.exact(o.dtype, self.initial(o))
        for part in range(self.parts):
            inner = dict(env, part=part)
            for s in self.body:
                s.run(inner)
        return [env[o.name] for o in self.outputs]


# Shrinking.


def _cuts(body: list[Any]) -> list[list[Any]]:
    """The bodies with one statement left out, or replaced by what is inside it."""
    out = []
    for i, statement in enumerate(body):
        out.append(body[:i] + body[i + 1 :])
        if isinstance(statement, Block):
            for inside in (statement.body, statement.orelse):
                if inside:
                    out.append(body[:i] + inside + body[i + 1 :])
                for cut in _cuts(inside):
                    changed = dataclasses.replace(statement)
                    if inside is statement.body:
                        changed.body = cut
                    else:
                        changed.orelse = cut
                    out.append(body[:i] + [changed] + body[i + 1 :])
    return out


def _smaller(case: Case) -> list[Case]:
    out = []
    for o in case.outputs:
        if len(case.outputs) > 1:
            body = [s for s in case.body if not (isinstance(s, Store) and s.output == o.name)]
            out.append(dataclasses.replace(case, outputs=[x for x in case.outputs if x is not o], body=body))
    out += [dataclasses.replace(case, body=body) for body in _cuts(case.body)]
    text = "\n".join(line for s in case.body for line in s.lines())
    for x in case.inputs:
        if f"({x.name}," not in text:
            out.append(dataclasses.replace(case, inputs=[y for y in case.inputs if y is not x]))
    for name in case.scalars:
        if name not in text:
            out.append(dataclasses.replace(case, scalars={k: v for k, v in case.scalars.items() if k != name}))
    if case.launch != "range":
        out.append(dataclasses.replace(case, launch="range"))
    return out


def shrink(case: Case, fails: Callable[[Case], Any], seconds: float = 20) -> Case:
    """A smaller program that still fails; `fails` says no to what is not a program."""
    end = time.monotonic() + seconds
    progress = True
    while progress:
        progress = False
        for smaller in _smaller(case):
            if time.monotonic() > end:
                return case
            try:
                smaller.expected()
            except Exception:  # a name that nothing defines any more
                continue
            if fails(smaller):
                case, progress = smaller, True
                break
    return case
