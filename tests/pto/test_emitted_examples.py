"""The examples, emitted for PTO and executed: each of them compares the results with NumPy itself.

Every other one is emitted at level3: test_emitted_runs.py runs programs at both levels.
"""

from __future__ import annotations

import inspect
import pathlib
import runpy
from typing import Any

import pytest

from execute_emitted import AVAILABLE, InPlaceOfTargets, Refused

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="this build does not emit for PTO")

EXAMPLES = sorted((pathlib.Path(__file__).parents[2] / "examples").glob("*.py"))
# Which programs cannot be expressed, and why, is tested in test_emitted.py.


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: pathlib.Path, monkeypatch: Any, capsys: Any) -> None:
    level = ("level2", "level3")[EXAMPLES.index(path) % 2]
    example = runpy.run_path(str(path))
    takes_ranks = "ranks" in inspect.signature(example["main"]).parameters
    for seed in (1, 3) if takes_ranks else (0,):
        InPlaceOfTargets(monkeypatch, level, seed)
        try:
            example["main"](**({"ranks": 3} if takes_ranks else {}))
        except Refused as refused:
            pytest.skip(str(refused).partition("\n")[0])
    assert ":" in capsys.readouterr().out
