"""Emits a program for PTO, compiles its host side against a runtime that records, and runs it.

The other side is what the interpreter submits for the same program (record_tasks.cpp): it reads the IR itself and has
none of the emitted code in it. `differences` compares the two, task by task.
"""
from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TILEWIRE_BUILD", ROOT / "build" / "release"))
WARNINGS = ["-std=c++17", "-Wall", "-Wextra", "-Werror"]
SIZES = {"BOOL": 1, "INT8": 1, "UINT8": 1, "INT16": 2, "UINT16": 2, "FP16": 2, "BF16": 2, "INT32": 4, "UINT32": 4,
         "FP32": 4}
CPP_TYPES = {"BOOL": "bool", "FP32": "float", "INDEX": "int64_t"}


@dataclass
class Case:
    """A program and what it is called with: extents of tensors, values of scalars."""
    file: str
    entry: str = ""
    ranks: int = 1
    arguments: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{Path(self.file).stem}{'_' + self.entry if self.entry else ''}_{self.ranks}"


def run(command: list[Any], **how: Any) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, timeout=300,
                          **how)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def emit(case: Case, folder: Path) -> None:
    run([BUILD / "pto_emit_host", ROOT / case.file, folder])


def shown(value: Any) -> str:
    return "x".join(map(str, value)) if isinstance(value, (list, tuple)) else str(int(value))


def oracle(case: Case, entry: str) -> dict[str, Any]:
    """What the interpreter submits. `run_k` is the function that the compiler makes for a kernel `k`."""
    entry = entry.removeprefix("run_")
    settings = [f"{name}={shown(value)}" for name, value in case.arguments.items()]
    return json.loads(run([BUILD / "pto_record_tasks", ROOT / case.file, entry, case.ranks, *settings]))


def entry_of(case: Case, table: dict[str, Any]) -> dict[str, Any]:
    entries = [e for e in table["entries"] if not case.entry or e["name"] == case.entry]
    assert len(entries) == 1, f"{case.name}: entries {[e['name'] for e in table['entries']]}"
    return entries[0]


def main_text(case: Case, program: str, entry: dict[str, Any]) -> str:
    """A C++ program that calls the entry."""
    lines, names = [], []
    for parameter in entry["parameters"]:
        name, value = f"a{len(names)}", case.arguments[parameter["name"]]
        dtype = parameter["dtype"]
        if parameter["kind"] == "tensor":
            type_name = dtype if dtype in ("FP16", "BF16", "FP32") else dtype.capitalize().replace("Uint", "UInt")
            lines.append(f"  const tilewire::pto::Tensor {name} = "
                         f"runtime.array(tilewire::pto::Type::{type_name}, {{{', '.join(map(str, value))}}});")
        else:
            cpp = CPP_TYPES.get(dtype, dtype.lower() + "_t")
            lines.append(f"  const {cpp} {name} = {shown(value)};")
        names.append(name)
    return "\n".join([f'#include "{program}_host.h"', '#include "host_harness.h"', "",
                      "int main(int, char** argv) {",
                      f"  tilewire::pto::Recorder runtime({case.ranks}, argv[1]);", *lines,
                      f"  static_cast<void>(0), {program}::{entry['function']}({', '.join(['runtime', *names])});",
                      "  runtime.print();", "  return 0;", "}", ""])


def interface_objects(emitted: Path, folder: Path) -> list[Path]:
    """The interface and the harness, compiled as a user would: from the emitted files."""
    host = emitted / "host"
    objects = []
    sources = [*host.glob("tilewire_*.cpp"), *host.glob("support/*.cpp"), ROOT / "tests/pto/host_harness.cpp"]
    for source in sources:
        objects.append(folder / (source.stem + ".o"))
        run(["g++", *WARNINGS, "-O1", "-I", host, "-I", ROOT / "tests/pto", "-c", source, "-o", objects[-1]])
    return objects


def recorded(case: Case, emitted: Path, objects: list[Path], expected: dict[str, Any]) -> dict[str, Any]:
    """What the host program submits."""
    host = emitted / "host"
    table = json.loads((emitted / "kernel_table.json").read_text())
    headers = [p for p in host.glob("*_host.h") if p.name != "tilewire_pto_host.h"]
    program = headers[0].name.removesuffix("_host.h")
    main = emitted / "main.cpp"
    main.write_text(main_text(case, program, entry_of(case, table)))
    given = []
    for rank, found in expected["ranks"].items():
        given += [f"read {rank} {value}" for value in found["reads"]]
        given += [f"result {rank} {i} {' '.join(task['results'])}" for i, task in enumerate(found["tasks"])
                  if task["results"]]
    (emitted / "given").write_text("\n".join(given) + "\n")
    binary = emitted / "program"
    run(["g++", *WARNINGS, "-O0", "-I", host, "-I", ROOT / "tests/pto", main, host / f"{program}_host.cpp", *objects,
         "-pthread", "-o", binary])
    return json.loads(run([binary, emitted / "given"]))


class Compared:
    """The two recordings, told apart by the first difference of each task."""

    def __init__(self, table: dict[str, Any], expected: dict[str, Any], found: dict[str, Any]) -> None:
        self.kernels = {kernel["name"]: kernel for kernel in table["kernels"]}
        self.expected, self.found = expected, found
        self.problems: list[str] = []
        self.storages: dict[tuple[str, int], int] = {}  # of the interpreter, by rank: where the host program has it
        self.contexts: dict[int, int] = {}
        offsets: dict[int, int] = {}
        self.window_offsets = []
        for window in expected["windows"]:
            self.window_offsets.append(offsets.get(window["group"], 0))
            offsets[window["group"]] = self.window_offsets[-1] + (window["bytes"] + 63) // 64 * 64

    def compare(self) -> list[str]:
        expected = {rank: found["tasks"] for rank, found in self.expected["ranks"].items() if found["tasks"]}
        if set(expected) != set(self.found):
            return [f"ranks {sorted(expected)} expected, {sorted(self.found)} found"]
        for rank, tasks in expected.items():
            mine = self.found[rank]
            if len(tasks) != len(mine):
                self.problems.append(f"rank {rank}: {len(tasks)} tasks expected, {len(mine)} found")
            for i, (want, got) in enumerate(zip(tasks, mine)):
                self.task(f"rank {rank}, task {i} ({want.get('kernel', 'join')})", rank, want, got)
        return self.problems

    def same(self, what: str, want: Any, got: Any) -> None:
        if want != got:
            self.problems.append(f"{what}: {want} expected, {got} found")

    def task(self, what: str, rank: str, want: dict[str, Any], got: dict[str, Any]) -> None:
        for key in ("kernel", "blocks", "sync_start", "defers"):
            self.same(f"{what}: {key}", want.get(key), got.get(key))
        # What has been waited for needs no word; the interpreter says all the same that it comes before.
        first, waited = set(want["after"]), set(got["waited"])
        self.same(f"{what}: after", sorted(first - waited), sorted(set(got["after"]) - waited))
        self.same(f"{what}: after, of what was waited for", [], sorted(set(got["after"]) - first))
        if "kernel" not in want or want["kernel"] not in self.kernels:
            return
        for parameter in self.kernels[want["kernel"]]["parameters"]:
            name = parameter["name"]
            self.argument(f"{what}: {name}", rank, parameter, want["arguments"], got["arguments"][name])

    def argument(self, what: str, rank: str, parameter: dict[str, Any], want: dict[str, Any], got: Any) -> None:
        kind = parameter["kind"]
        if kind == "tensor":
            self.tensor(what, rank, want[parameter["name"]], got)
        elif kind == "scalar":
            self.same(what, want[parameter["name"]], got)
        elif kind == "dimension":
            tensor = want[parameter["tensor"]]
            if parameter.get("whole_axis", True):
                self.same(what, tensor["shape"][parameter["axis"]], got)
        elif kind == "stride":
            self.same(what, want[parameter["tensor"]]["strides"][parameter["axis"]], got)
        elif kind == "context" and "windows" in parameter:
            for window in parameter["windows"]:
                group = self.expected["windows"][want[window]["window"]]["group"]
                self.same(f"{what} of {window}", self.contexts.setdefault(group, got), got)

    def tensor(self, what: str, rank: str, want: dict[str, Any], got: dict[str, Any]) -> None:
        for key in ("shape", "strides", "tracked", "window"):
            self.same(f"{what}: {key}", want[key], got[key])
        offset = want["offset"]
        if want["window"] >= 0:
            offset += self.window_offsets[want["window"]]
        else:
            key = ("", want["storage"])  # arrays of the caller are one for all ranks
            self.same(f"{what}: storage", self.storages.setdefault(key, got["storage"]), got["storage"])
        self.same(f"{what}: offset", offset, got["offset"])
