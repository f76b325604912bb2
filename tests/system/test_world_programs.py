"""Programs in several processes give the bits, or the errors, that they give in one.

TILEWIRE_WORLD_PROGRAMS=N takes N random programs in place of 40.
"""

import os
import re
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

WORKER = Path(__file__).parent / "world_programs.py"
COUNT = int(os.environ.get("TILEWIRE_WORLD_PROGRAMS", "40"))
SECONDS = 600 + COUNT * 5


def shown(processes, *words):
    """What each process says, by name of the call."""
    job = uuid.uuid4().hex
    started = []
    for number in range(processes):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("OMPI_", "PMIX_", "PMI_", "SLURM_"))}  # fmt: skip
        environment.update(PMI_JOBID=job, PMI_SIZE=str(processes), PMI_RANK=str(number))
        started.append(subprocess.Popen([sys.executable, str(WORKER), *words], env=environment, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE))  # fmt: skip
    try:
        texts = [process.communicate(timeout=SECONDS) for process in started]
    finally:
        for process in started:
            process.kill()
    for process, (out, problems) in zip(started, texts):
        assert process.returncode == 0, out[-1000:] + problems[-3000:]
    results = [dict(re.findall(r"^(.*) -> (\w+)$", out, re.MULTILINE)) for out, _ in texts]
    assert all(result == results[0] for result in results)
    return results[0]


def compare(one, several):
    """How many calls are the same. Others are refused: what a rank writes, one of another process reads."""
    unlike = {name: (one[name], result) for name, result in several.items() if result != one[name]}
    assert all(result == "TW2151" for _, result in unlike.values()), unlike
    return len(several) - len(unlike), len(unlike)


@pytest.mark.parametrize("processes", [2, 4])
def test_programs_of_the_language(processes, language_in_one):
    same, refused = compare(language_in_one, shown(processes, "language"))
    assert same > 80 and refused < 10, (same, refused)


@pytest.fixture(scope="module")
def language_in_one():
    return shown(1, "language")


def test_random_programs():
    one = shown(1, "random", str(COUNT), "0")
    assert len(one) == COUNT
    for processes in (2, 4):
        fitting = [name.split()[0] for name in one if int(name.split()[-1]) % processes == 0]
        same, refused = compare(one, shown(processes, "random", ",".join(fitting)))
        assert same + refused == len(fitting)
        print(f"{processes} processes: {same} random programs have the same bits, {refused} are refused")
        assert refused < COUNT / 4
