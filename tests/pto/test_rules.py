"""What is said about wrong modules: those that the assembler refuses, and those that it lets pass."""

from __future__ import annotations

import ast
import pathlib
import sys
from typing import Any

import facts
import pytest
import reader
from pto_expectations import REJECTED, WRONG, Case, cases, faults

HERE = pathlib.Path(__file__).parent
REFUSED = [case for path in REJECTED for case in cases(path)]
PASSED = [case for path in WRONG for case in cases(path)]


@pytest.mark.parametrize("case", REFUSED + PASSED, ids=lambda case: case.name)
def test_wrong(case: Case) -> None:
    assert case.expected and faults(case.text, case.level) == case.expected


def test_all_refusals_of_the_assembler_are_here() -> None:
    assert [int(path.stem[:3]) for path in REJECTED] == list(range(1, 118))


def test_every_fault_of_the_reader_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    sites: dict[tuple[str, int], str] = {}
    for path in [*HERE.glob("rules_*.py"), HERE / "flow.py", HERE / "facts.py"]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "fault":
                for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    sites[(path.name, line)] = f"{path.name}:{node.lineno}"
    reached = set()
    original = facts.Facts.fault

    def fault(self: facts.Facts, *arguments: Any) -> None:
        frame = sys._getframe(1)
        reached.add(sites[(pathlib.Path(frame.f_code.co_filename).name, frame.f_lineno)])
        original(self, *arguments)

    monkeypatch.setattr(facts.Facts, "fault", fault)
    for case in REFUSED + PASSED:
        reader.read(case.text, case.level)
    assert sorted(set(sites.values()) - reached) == []
