"""Random kernels on whole tensors of several row blocks, called with one array for two parameters: `generate(seed)`.

    python tests/system/generate_shared.py SEED        prints its program

Each statement reads all of its operands before it writes, so what NumPy does with copies is what must come out,
whichever parameters are one array.
"""

from __future__ import annotations

import dataclasses
import random
import sys
from typing import Any, Callable

import numpy as np

PARAMETERS = ("a", "b", "c")


@dataclasses.dataclass
class Shared:
    seed: int
    text: str
    statements: list[Callable[[dict[str, Any]], None]]
    arrays: tuple[str, ...]  # the array that each argument of `main` is
    shape: tuple[int, int]

    def arguments(self) -> list[Any]:
        values = np.random.default_rng(self.seed)
        made = {name: values.integers(-9, 10, self.shape).astype(np.int32) for name in sorted(set(self.arrays))}
        return [made[name] for name in self.arrays]

    def expected(self, names: tuple[str, ...]) -> list[Any]:
        """The arguments afterwards. `names`: of the arguments, in the order of the kernel's parameters."""
        arguments = self.arguments()
        by_name = dict(zip(PARAMETERS, arguments))
        env = {param: by_name[name] for param, name in zip(PARAMETERS, names)}
        for statement in self.statements:
            statement(env)
        return arguments


def generate(seed: int) -> tuple[Shared, list[Any]]:
    """The program, and what its arguments are after the call."""
    pick = random.Random(seed)
    rows, cols = pick.choice([(300, 300), (700, 300), (513, 257), (400, 1100)])
    lines: list[str] = []
    statements: list[Callable[[dict[str, Any]], None]] = []

    def part(first: int, count: int) -> str:
        return f"[{first} : {first + count}, :]"

    def statement() -> None:
        to, x, y = (pick.choice(PARAMETERS) for _ in range(3))
        kind = pick.choice(["add", "shift", "flip", "rows", "sum", "scale"])
        if kind == "flip" and rows != cols:
            kind = "shift"
        if kind == "add":
            lines.append(f"{to}[...] = {x} + {y}")
            statements.append(lambda e: e[to].__setitem__(..., e[x] + e[y]))
        elif kind == "scale":
            lines.append(f"{to}[...] = ({x} * 2 - {y}) * 3")
            statements.append(lambda e: e[to].__setitem__(..., (e[x] * 2 - e[y]) * 3))
        elif kind == "shift":
            by = pick.choice([1, 7, rows // 2])
            from_, at = pick.choice([(0, by), (by, 0)])
            count = rows - by
            lines.append(f"{to}{part(at, count)} = {x}{part(from_, count)}")
            statements.append(lambda e: e[to].__setitem__(slice(at, at + count), e[x][from_ : from_ + count].copy()))
        elif kind == "flip":
            lines.append(f"{to}[...] = pl.transpose({x})")
            statements.append(lambda e: e[to].__setitem__(..., e[x].T.copy()))
        elif kind == "rows":
            lines.append(f"{to}[...] = pl.row_expand_sub({x}, pl.row_max({y}))")
            statements.append(lambda e: e[to].__setitem__(..., e[x] - e[y].max(axis=1, keepdims=True)))
        else:
            lines.append(f"{to}[...] = pl.col_expand_add({x}, pl.col_max({y}))")
            statements.append(lambda e: e[to].__setitem__(..., e[x] + e[y].max(axis=0, keepdims=True)))

    for _ in range(pick.randint(1, 4)):
        statement()
    # One array for two parameters: by the caller of the entry, or by a call in the program.
    arrays = pick.choice([("x", "x", "z"), ("x", "y", "x"), ("x", "y", "y"), ("x", "x", "x"), ("x", "y", "z")])
    names = PARAMETERS if len(set(arrays)) < 3 else pick.choice([("a", "a", "c"), ("a", "b", "a"), ("b", "c", "c")])
    types = ", ".join(f"{name}: pl.InOut[pl.Tensor[[{rows}, {cols}], pl.INT32]]" for name in PARAMETERS)
    text = ["import tilewire.language as pl", "", "", "@pl.jit.incore", f"def kernel({types}):"]
    text += [f"    {line}" for line in lines]
    text += ["", "", "@pl.jit", f"def main({types}):", f"    kernel({', '.join(names)})", ""]
    case = Shared(seed, "\n".join(text), statements, arrays, (rows, cols))
    return case, case.expected(names)


if __name__ == "__main__":
    made, _ = generate(int(sys.argv[1]))
    print(made.text, f"main({', '.join(made.arrays)})", sep="\n")
