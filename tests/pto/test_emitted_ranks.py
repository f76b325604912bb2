"""Programs of several ranks, executed from what is emitted: host side and kernels, with stores, notifies and loads as
late as the fences allow. Results are those of the interpreter."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from host_run import Case, emit, entry_of, interface_objects
from whole_run import emit_all, inputs, reference, whole_run

pytest.importorskip("execute")  # of the same folder, where the text is executed

PROGRAMS = "tests/lang/programs/"


CASES = [
    *[Case("examples/mesh_allreduce.py", ranks=ranks, arguments={"x": (ranks, 256), "y": (ranks, 256)})
      for ranks in (1, 2, 3, 4)],
    *[Case("examples/ring_shift.py", entry, ranks, {"x": (ranks, 16, 64), "y": (ranks, 16, 64)})
      for entry in ("shift_by_store", "shift_by_load") for ranks in (2, 3)],
    *[Case("examples/ring_allreduce.py", ranks=ranks, arguments={"x": (ranks, ranks, 256), "y": (ranks, ranks, 256)})
      for ranks in (2, 3)],
    Case("examples/barrier.py", ranks=3, arguments={"x": (3, 3, 64), "y": (3, 1, 64)}),
    Case("examples/halo_exchange.py", ranks=4, arguments={"x": (4, 16, 32), "across": 2, "y": (4, 16, 32)}),
    Case("examples/ring_gather.py", ranks=3, arguments={"x": (3, 16, 64), "y": (3, 3, 16, 64)}),
    Case("examples/producer_consumer.py", ranks=2, arguments={"x": (2, 10, 8, 64), "y": (2, 10, 8, 64)}),
    Case("examples/hello_ranks.py", ranks=3, arguments={"out": (3, 3)}),
]


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("interface")
    emit(CASES[0], folder)
    return interface_objects(folder, folder)


@pytest.mark.parametrize("level", ["level2", "level3"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_results(case: Case, level: str, objects: list[Path], tmp_path: Path) -> None:
    table = emit_all(case, tmp_path, level)
    entry = entry_of(case, table)
    first = inputs(case, entry, 1)
    expected = reference(case, entry["name"], first, tmp_path)
    for seed in range(4):
        arrays = inputs(case, entry, 1)
        whole_run(case, tmp_path, table, objects, arrays, seed)
        for name, want in expected.items():
            assert np.array_equal(arrays[name], want), (name, seed)
