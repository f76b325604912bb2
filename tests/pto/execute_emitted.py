"""Programs of the language, emitted for PTO and executed: what tests call in place of a target.

    emitted = Emitted(program, entry="main", level="level3")       # a program as pl.parse or pl.load_program return it
    emitted(x, y, ranks=2, seed=5)                                 # as an executable is called

Every kernel's text must be accepted by the reader.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np

from execute_program import ARRAYS, Program
from reader import read

Array = Any
COMMANDS = [pathlib.Path(sys.executable).parent / "tilewire"]
AVAILABLE = "level3" in subprocess.run([str(COMMANDS[0]), "emit", "--help"], capture_output=True, text=True, check=False).stdout


class Refused(Exception):
    """The program cannot be expressed for PTO: what the command says."""


def emit(file: pathlib.Path, folder: pathlib.Path, level: str, *options: str) -> None:
    for command in COMMANDS:
        line = [str(command), "emit", "--target", "pto", "--level", level, str(file), "-o", str(folder), *options]
        made = subprocess.run(line, capture_output=True, text=True, check=False, timeout=300)
        if made.returncode == 3:
            raise Refused(made.stderr)
        if made.returncode:
            raise AssertionError(f"{' '.join(line)}\n{made.stderr}")


class Emitted:
    def __init__(self, program: Any, entry: str = "", level: str = "level2", split: str = "auto"):
        self.kept = tempfile.TemporaryDirectory(prefix="pto-emitted-")
        folder = pathlib.Path(self.kept.name)
        file = folder / "program.twir"
        file.write_bytes(program.serialize())
        emit(file, folder, level, "--split", split)
        self.entry, self.program, self.level = entry, Program(folder), level
        for path in sorted(folder.glob("*.pto")):
            faults = read(path.read_text(), level)
            if faults:
                line = path.read_text().split("\n")[faults[0].line - 1].strip()
                raise AssertionError(f"{path.name}:{faults[0].line}: {faults[0].code}: {faults[0].message}\n{line}")
        if entry not in self.program.entries:  # none is named, or a kernel, which is called through what was made for it
            (self.entry,) = self.program.entries
        self.parameters = self.program.entries[self.entry]["parameters"]

    def text(self) -> str:
        return "\n".join(path.read_text() for path in sorted(self.program.folder.glob("*.pto")))

    def __call__(self, *arguments: Any, ranks: int = 1, seed: int = 0, **named: Any) -> Any:
        """Runs the entry; outputs that are left out are made and returned."""
        values = self.bound(list(arguments), {name: value for name, value in named.items() if name in self.names()}, ranks)
        self.printed = self.program.run(values, ranks=ranks, seed=seed, entry=self.entry)
        outputs = [value for value, one in zip(values, self.parameters) if one["kind"] == "tensor" and one["direction"] == "out"]
        return outputs[0] if len(outputs) == 1 else tuple(outputs) or None

    def names(self) -> list[str]:
        return [one["name"] for one in self.parameters]

    def bound(self, positional: list[Any], named: dict[str, Any], ranks: int) -> list[Any]:
        """A value for every parameter."""
        free = [one for one in self.parameters if one["name"] not in named]
        if len(positional) < len(free):
            free = [one for one in free if one.get("direction") != "out"]
        assert len(positional) == len(free), f"{len(positional)} arguments for {[one['name'] for one in free]}"
        given = named | {one["name"]: value for one, value in zip(free, positional)}
        sizes: dict[str, int] = {}
        for one in self.parameters:
            if one["kind"] == "tensor" and one["name"] in given:
                sizes |= {dim: size for dim, size in zip(one["shape"], given[one["name"]].shape) if dim.isidentifier()}
        for one in self.parameters:
            if one["kind"] == "tensor" and one["name"] not in given:
                shape = [int(eval(dim, {}, sizes)) for dim in one["shape"]]  # arithmetic of dimensions
                given[one["name"]] = np.zeros(shape, ARRAYS[one["dtype"]])
        return [given[one["name"]] for one in self.parameters]


class InPlaceOfTargets:
    """While it lasts, programs that are called or compiled run as emitted for PTO."""

    def __init__(self, monkeypatch: Any, level: str, seed: int):
        self.level, self.seed = level, seed
        self.made: dict[tuple[int, str, str], Emitted] = {}
        import tilewire._reading
        import tilewire._running

        for module in (tilewire._running, tilewire._reading):
            monkeypatch.setattr(module, "compile_program", self.compile)

    def compile(self, program: Any, entry: str, target: str, debug_bounds: bool, split: str, settings: Any = None) -> Any:
        key = (id(program), entry, split)
        if key not in self.made:
            self.made[key] = Emitted(program, entry, self.level, split)
        emitted = self.made[key]

        def call(*arguments: Any, **named: Any) -> Any:
            named = (settings or {}) | {name: value for name, value in named.items() if name not in ("threads", "schedule")}
            return emitted(*arguments, **({"seed": self.seed} | named))

        return call
