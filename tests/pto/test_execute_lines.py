"""Every line of an accepted module matters: without it some seed gives a wrong result or a fault."""

from __future__ import annotations

import pytest

from execute_cases import accepted
from execute_runs import RUNS, outcomes

# Lines that do not matter, by module, and why.
SPARE = {
    # Their result is overwritten by the next one.
    "06": ["pto.tcmp"] * 6,
    "08": "pto.trowsum pto.trowmax pto.trowmin pto.trowprod pto.tcolsum pto.tcolmax pto.tcolmin pto.tcolprod".split()
    + "pto.trowargmax pto.trowargmin pto.tcolargmax pto.tcolargmin".split(),
    # The same stores are made again, or a get brings the same numbers again; the last notify tells of no store that another
    # core reads, so it needs neither fence nor cache operation.
    "18": ["pto.tstore"] * 2 + ["pto.comm.tget"] * 2 + ["pto.cmo.cacheinvalid", "pto.fence.barrier_all"],
    # No scalar is read from the windows; the last round keeps the next call from overwriting what a slow rank still reads.
    "21": ["pto.cmo.cacheinvalid", "func.call"],
    # The pipes of a core are executed in the order of the text; an exponential is its own absolute value.
    "24": "pto.set_flag pto.wait_flag pto.barrier pto.tabs pto.set_flag pto.wait_flag pto.barrier pto.syncall pto.syncall".split(),
}


@pytest.mark.parametrize("number", RUNS)
def test_each_line_matters(number: str) -> None:
    lines = accepted(number).split("\n")
    spare = []
    for k, line in enumerate(lines):
        name = line.strip().partition(" ")[0].partition("(")[0].partition("[")[0]
        if not name.startswith(("pto.", "func.call")):
            continue
        if outcomes(RUNS[number], "\n".join(lines[:k] + lines[k + 1 :]), range(5)) == {"right"}:
            spare.append(name)
    assert spare == SPARE.get(number, [])
