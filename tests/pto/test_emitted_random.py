"""Random kernels, emitted for PTO and executed, against NumPy: the generator and the oracle of tests/system.

PTO_DIFFERENTIAL=N runs N kernels in place of 60, PTO_DIFFERENTIAL_SEED=S starts at seed S. A failure prints the seed
and the program, cut down to what still fails.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import sys
import tempfile
from typing import Any

import numpy as np
import pytest

from execute import run
from execute_emitted import AVAILABLE, Refused, emit
from execute_fault import ExecutionFault
from execute_tiles import NUMPY
from reader import read

sys.path.append(str(pathlib.Path(__file__).parents[1] / "system"))

from generate_kernels import generate  # noqa: E402
from kernel_case import shrink  # noqa: E402

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="this build does not emit for PTO")

COUNT = int(os.environ.get("PTO_DIFFERENTIAL", "60"))
FIRST = int(os.environ.get("PTO_DIFFERENTIAL_SEED", "0"))
BATCH = 10
FOUND = [15, 117, 151, 156, 194, 251, 359, 434, 478, 668, 695, 760, 797, 829, 899, 934, 975, 1322, 1996, 3133, 3159, 3185, 3333]  # once wrong


def outputs(case: Any, level: str) -> list[Any]:
    """What the kernel leaves in its outputs; raises what the emitter, the reader or the executor has against it."""
    with tempfile.TemporaryDirectory(prefix="pto-random-") as name:
        folder = pathlib.Path(name)
        (folder / "program.py").write_text(case.text)
        emit(folder / "program.py", folder, level, "--split", "split" if case.seed % 2 else "auto")
        table = json.loads((folder / "kernel_table.json").read_text())
        (kernel,) = table["kernels"]
        text = (folder / kernel["file"]).read_text()
        (host,) = [path for path in (folder / "host").glob("*_host.cpp") if not path.name.startswith("tilewire")]
        # Tensors that the kernel makes for itself: blocks, and what each has. The workspace of its pipes has one dimension.
        created = [extents.split(", ")[1:] for extents in re.findall(r"rank\.create\(Type::\w+, \{([^}]*, [^}]*)\}", host.read_text())]
    faults = read(text, level)
    if faults:
        raise AssertionError(f"{faults[0]}\n{text}")
    names = [x.name for x in case.inputs] + list(case.scalars) + [o.name for o in case.outputs]
    given = dict(zip(names, case.arguments()))
    blocks = case.parts if case.launch == "spmd" else 1
    workspace = kernel.get("workspace", {"parameter": "", "bytes_per_block": 0})
    made = [p for p in kernel["parameters"] if p["kind"] == "tensor" and p["name"] not in (*given, workspace["parameter"])]
    assert len(made) == len(created)
    for parameter, extents in zip(made, created):
        shape = [blocks, *(int(extent) for extent in extents)]
        given[parameter["name"]] = np.full(shape, 99, NUMPY[parameter["type"].partition("<")[2].rstrip(">")])
    halves = [kernel[half] for half in ("cube", "vector") if kernel[half]]
    for part in [0] if case.launch == "spmd" else range(case.parts):
        arguments = []
        for parameter in kernel["parameters"]:
            value = part if parameter["name"] == "part" else given.get(parameter["name"])
            if isinstance(value, np.ndarray):
                value = value.view(NUMPY[parameter["type"].partition("<")[2].rstrip(">")])
            elif value is None and parameter["kind"] == "tensor":  # the workspace of the pipes
                value = np.zeros(max(1, workspace["bytes_per_block"] * blocks // 4), np.float32)
            elif value is None:
                value = next(given[p["name"]].shape[parameter["axis"]] for p in kernel["parameters"] if p["name"] == parameter["tensor"])
            arguments.append(value)
        run(text, halves, arguments, blocks=blocks, seed=case.seed)
    return [given[o.name] for o in case.outputs]


def differs(expected: Any, got: Any) -> str | None:
    """The first element out of bounds, in words."""
    dtype = expected.dtype
    with np.errstate(invalid="ignore", over="ignore"):
        wide = got.astype(np.float64) if dtype.is_float else got
        good = (wide == expected.v) | ~np.isfinite(expected.e)
        if dtype.is_float:
            good |= np.isnan(wide) & np.isnan(expected.v)
        good |= (expected.e > 0) & (np.abs(wide.astype(np.float64) - expected.v.astype(np.float64)) <= 4 * expected.e)
    if good.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~good)[0])
    return f"element {list(at)} is {got[at]}, expected {expected.v[at]} +- {expected.e[at]}"


def wrong(case: Any, level: str) -> str | None:
    """What is wrong with a case, None when nothing is; raises Refused."""
    try:
        found = outputs(case, level)
    except (ExecutionFault, AssertionError) as fault:
        return f"{type(fault).__name__}: {fault}"
    for output, expected, got in zip(case.outputs, case.expected(), found):
        text = differs(expected, got)
        if text:
            return f"{output.name}: {text}"
    return None


def still_wrong(level: str) -> Any:
    def fails(case: Any) -> bool:
        try:
            return wrong(case, level) is not None
        except Refused:
            return False

    return fails


@pytest.mark.parametrize("level", ["level2", "level3"])
@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, BATCH))
def test_random_kernels(first: int, level: str) -> None:
    executed = 0
    for seed in range(first, min(first + BATCH, FIRST + COUNT)):
        case = generate(seed)
        try:
            text = wrong(case, level)
        except Refused:
            continue
        executed += 1
        if text:
            small = shrink(case, still_wrong(level))
            pytest.fail(f"seed {seed}, {level}: {text}\ncut down: {wrong(small, level)}\n{small.text}")
    assert executed


@pytest.mark.parametrize("seed", FOUND)
def test_found(seed: int) -> None:
    assert wrong(generate(seed), ("level2", "level3")[seed % 2]) is None
