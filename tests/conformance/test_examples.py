"""Every example of several ranks agrees with NumPy, on 1 to 8 ranks, also under random schedules.

The examples compare the results themselves. TILEWIRE_SCHEDULES=20 takes that many schedules in place of two.
"""

import os
import pathlib
import runpy

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
SCHEDULES = int(os.environ.get("TILEWIRE_SCHEDULES", "2"))
RANKS = [1, 2, 3, 4, 8]

FILES = {path.stem: path for path in sorted(EXAMPLES.glob("*.py")) if "def main(ranks" in path.read_text()}


@pytest.fixture(scope="module")
def examples():
    return {name: runpy.run_path(str(path))["main"] for name, path in FILES.items()}


def run(example, ranks, place, schedules=SCHEDULES):
    example(ranks, target=place.target)
    for seed in range(1, schedules + 1):
        example(ranks, target=place.target, schedule=f"random:{seed}")


def test_what_there_is():
    assert set(FILES) >= {
        "allgather_gemm", "barrier", "halo_exchange", "hello_ranks", "mesh_allreduce", "moe_dispatch",
        "overlapping_groups", "producer_consumer", "ring_allreduce", "ring_gather", "ring_shift", "tile_scheduler",
    }  # fmt: skip


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("name", FILES)
def test_example(examples, name, ranks, place, capsys):
    run(examples[name], ranks, place)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= SCHEDULES + 1 and all(":" in line for line in lines)


@pytest.mark.needs("many ranks")
@pytest.mark.parametrize("ranks", [64, 1024])
@pytest.mark.parametrize("name", ["barrier", "hello_ranks", "mesh_allreduce"])
def test_many_ranks(examples, name, ranks, place):
    run(examples[name], ranks, place, SCHEDULES // 2)
