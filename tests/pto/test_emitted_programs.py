"""Random programs for several ranks, emitted for PTO and executed: a proved one leaves what the interpreter leaves.

PTO_PROGRAMS=N runs N programs in place of 8, PTO_PROGRAM_SEED=S starts at seed S. Every program runs under several
seeds of the executor, which delay stores, loads and notifies.
"""

from __future__ import annotations

import os
import pathlib
import sys

import numpy as np
import pytest

import tilewire.language as pl
from execute_emitted import AVAILABLE, Emitted, Refused

sys.path.append(str(pathlib.Path(__file__).parents[1] / "system"))

from generate_programs import generate  # noqa: E402

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="this build does not emit for PTO")

COUNT = int(os.environ.get("PTO_PROGRAMS", "8"))
FIRST = int(os.environ.get("PTO_PROGRAM_SEED", "0"))
SCHEDULES = 200  # that the checker may try
SEEDS = 5


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_random_program(seed: int) -> None:
    case = generate(seed)
    program = pl.parse(case.text, f"seed_{seed}.py")
    (report,) = program.main.check(*case.arguments(), ranks=case.ranks, limit=SCHEDULES, split=case.split)
    if report.verdict != "proved" or any(found.kind == "schedule" for found in report.findings):
        pytest.skip("its result depends on the schedule")
    expected = case.arguments()
    program.compile(entry="main", target="interp", split=case.split)(*expected, ranks=case.ranks)
    try:
        emitted = Emitted(program, "main", ("level2", "level3")[seed % 2], case.split)
    except Refused as refused:
        pytest.skip(str(refused).partition("\n")[0])
    for run in range(SEEDS):
        given = case.arguments()
        emitted(*given, ranks=case.ranks, seed=run)
        for name, a, b in zip(("x", "xi", "y", "yi"), expected, given):
            unlike = np.argwhere(a.view(np.int32) != b.view(np.int32))
            if len(unlike):
                at = tuple(int(i) for i in unlike[0])
                pytest.fail(f"seed {seed}, run {run}: {len(unlike)} elements of {name} differ, first {list(at)}: {b[at]}, the "
                            f"interpreter says {a[at]}\n{case.text}")
