"""Emitted host programs submit what the interpreter submits: the same kernels with the same arguments, in the same
order, after the same tasks."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from host_run import Case, Compared, emit, entry_of, interface_objects, oracle, recorded

PROGRAMS = "tests/lang/programs/"
CASES = [
    Case("examples/task_graph.py", arguments={"x": (128, 64), "y": (128, 64), "z": (128, 64)}),
    Case("examples/spmd_gemm.py", arguments={"a": (128, 192), "b": (192, 256), "c": (128, 256)}),
    Case("examples/split_linear.py", ranks=3, arguments={"x": (3, 32, 64), "w": (3, 64, 128), "bias": (128,),
                                                         "y": (3, 32, 128)}),
    Case("examples/overlapping_groups.py", ranks=4, arguments={"values": (4, 1, 128)}),
    Case("examples/overlapping_groups.py", ranks=5, arguments={"values": (5, 1, 128)}),
    Case(PROGRAMS + "manual_scopes.py", arguments={"x": (4, 16, 64), "y": (4, 16, 64)}),
    Case(PROGRAMS + "task_joins.py", arguments={"x": (4, 16, 64), "n": 3, "y": (4, 16, 64)}),
    Case(PROGRAMS + "task_joins.py", arguments={"x": (4, 16, 64), "n": 1, "y": (4, 16, 64)}),
    Case(PROGRAMS + "task_graph.py", arguments={"x": (64, 64), "y": (64, 64)}),
    Case(PROGRAMS + "defer_wait.py", ranks=3, arguments={"x": (3, 16, 64), "z": (3, 16, 64), "y": (3, 16, 64)}),
    Case(PROGRAMS + "host_control.py", ranks=3, arguments={"x": (3, 16, 64), "steps": 4, "quick": False,
                                                           "y": (3, 16, 64)}),
    Case(PROGRAMS + "host_control.py", ranks=5, arguments={"x": (5, 16, 64), "steps": 4, "quick": True,
                                                           "y": (5, 16, 64)}),
    Case(PROGRAMS + "early_returns.py", "run_k", arguments={"x": (16, 64), "n": 5, "y": (16, 64)}),
    Case(PROGRAMS + "collectives_host.py", ranks=3, arguments={"x": (3, 4, 64), "y": (3, 4, 64)}),
    Case(PROGRAMS + "comm_groups.py", ranks=4, arguments={"y": (4, 1, 64)}),
    Case(PROGRAMS + "two_hosts.py", "b", ranks=2, arguments={"y": (2, 8)}),
    Case(PROGRAMS + "kernel_dispatch.py", ranks=2, arguments={"x": (2, 64, 64), "many": 4, "y": (2, 64, 64)}),
    Case(PROGRAMS + "split_requests.py", arguments={"a": (32, 64), "b": (64, 32), "c": (32, 32), "d": (32, 32)}),
    Case(PROGRAMS + "spmd_forms.py", arguments={"x": (128, 64), "z": (128, 64), "y": (128, 64)}),
    Case(PROGRAMS + "opaque_layers.py", arguments={"x": (64, 64), "w": (64, 64), "y": (64, 64)}),
    Case(PROGRAMS + "pipes_both_ways.py", arguments={"q": (3, 32, 64), "k": (64, 64), "v": (64, 64),
                                                     "out": (3, 32, 64)}),
    Case(PROGRAMS + "window_views.py", ranks=2, arguments={"x": (2, 16, 64), "y": (2, 16, 64)}),
    Case(PROGRAMS + "subgroups.py", ranks=4, arguments={"x": (4, 1, 16), "y": (4, 1, 16), "z": (4, 1, 16)}),
    Case(PROGRAMS + "while_loops.py", arguments={"x": (16,), "y": (16,), "n": 5, "steps": (1,)}),
    Case(PROGRAMS + "scalars.py", "run_logic", arguments={"a": 7, "b": -3, "flag": True, "out": (8,)}),
    Case(PROGRAMS + "run_time_steps.py", arguments={"x": (64, 16), "y": (64, 16), "n": 40, "by": 3}),
    Case(PROGRAMS + "tuples.py", arguments={"x": (4, 16, 64), "n": 3, "lo": (16, 1), "hi": (16, 1)}),
    Case("examples/pipe_group.py", arguments={"q": (5, 32, 64), "k": (64, 64), "v": (64, 64), "out": (5, 32, 64)}),
    Case("examples/wavefront.py", arguments={"x": (128, 160), "y": (128, 160)}),
    Case("examples/diamonds.py", arguments={"x": (6, 16, 64), "y": (6, 16, 64)}),
    Case("examples/mesh2d.py", ranks=6, arguments={"values": (6, 1, 256), "columns": 3, "y": (6, 2, 256)}),
]


def case_id(case: Case) -> str:
    return f"{case.name}_{CASES.index(case)}"


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("interface")
    emit(CASES[0], folder)
    return interface_objects(folder, folder)


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_submits_what_the_interpreter_submits(case: Case, objects: list[Path], tmp_path: Path) -> None:
    emit(case, tmp_path)
    table: dict[str, Any] = json.loads((tmp_path / "kernel_table.json").read_text())
    expected = oracle(case, entry_of(case, table)["name"])
    found = recorded(case, tmp_path, objects, expected)
    assert sum(len(tasks) for tasks in found.values()) > 0
    assert Compared(table, expected, found).compare() == []
