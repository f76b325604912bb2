"""Mutants of right modules are refused, each for the reason that its kind expects.

TILEWIRE_PTO_MUTANTS=all takes every mutant; otherwise a seeded part of each kind.
"""

from __future__ import annotations

import os
import pathlib
import random

import mutations
import pytest
import reader
from pto_expectations import Case, cases, faults, level_of

HERE = pathlib.Path(__file__).parent
SEED = 6
MOST = 30
RIGHT = [case for path in sorted((HERE / "right").glob("*.pto")) for case in cases(path)]
MODULES = [(path.stem, level_of(path.read_text()), path.read_text()) for path in sorted((HERE / "accepted").glob("*.pto"))] + [
    (case.name, case.level, case.text) for case in RIGHT
]

# Mutants that are as right as their module: kind, module, text of the line, why.
EQUIVALENT = {
    ("a fence dropped", "17_signals", "pto.fence.barrier_all"): "nothing is written or read before the notify",
    ("a fence and a notify exchanged", "17_signals", "pto.fence.barrier_all"): "nothing is written or read before the notify",
    ("a fence dropped", "order: blocks together", "pto.fence.barrier_all"): "no notify follows",
    ("a cache operation dropped", "17_signals", "pto.cmo.cacheinvalid all"): "no scalar load follows the waits or the test",
    ("a cache operation dropped", "18_remote_memory", "pto.cmo.cacheinvalid %pr"): "it drops one line, and no scalar load follows",
    ("a cache operation dropped", "21_mesh_allreduce", "pto.cmo.cacheinvalid all"): "only the communication context is loaded after it",
}


def all_mutants(kind: str) -> list[tuple[str, str, str, mutations.Mutant]]:
    return [(name, level, text, mutant) for name, level, text in MODULES for mutant in mutations.mutants(text, kind)]


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case.name)
def test_right(case: Case) -> None:
    assert faults(case.text, case.level) == []


@pytest.mark.parametrize("kind", mutations.KINDS)
def test_mutants_are_refused(kind: str) -> None:
    found = all_mutants(kind)
    assert found
    if os.environ.get("TILEWIRE_PTO_MUTANTS") != "all" and len(found) > MOST:
        found = random.Random(SEED).sample(found, MOST)
    survivors = set()
    for name, level, text, mutant in found:
        reported = reader.read(mutant.text, level)
        line = text.split("\n")[mutant.line - 1].strip()
        where = f"{name}:{mutant.line}: {line}, seed {SEED}"
        if not reported:
            known = [key for key in EQUIVALENT if key[:2] == (kind, name) and line.startswith(key[2])]
            assert known, f"accepted: {where}\n{mutant.text}"
            survivors.update(known)
        else:
            assert {fault.code for fault in reported} & mutant.codes, f"{where}: {reported}"
    assert survivors == {key for key in EQUIVALENT if key[0] == kind}
