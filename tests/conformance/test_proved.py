"""What `check` proves runs right: every program of tests/check that is proved, against the interpreter."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import tilewire.language as pl
from arguments import argument

PROGRAMS = Path(__file__).parent.parent / "check"


def proved():
    for path in sorted(PROGRAMS.glob("*_right.py")):
        text = path.read_text()
        # Of those that are warned about, the results depend on the schedule.
        if "# verdict: proved" in text and "# warned: schedule" not in text:
            yield path.stem


def option(path, name, otherwise):
    words = shlex.split(re.search(r"^# run: (.*)$", path.read_text(), re.MULTILINE).group(1))
    return words[words.index(name) + 1] if name in words else otherwise


def whole(value):
    """Floats become small integers, so that sums of products are exact in any order."""
    return np.floor(value) if isinstance(value, np.ndarray) else value


@pytest.mark.needs("interpreter")
@pytest.mark.parametrize("name", list(proved()))
@pytest.mark.filterwarnings("ignore")
def test_proved_programs_run_right(name, place):
    path = PROGRAMS / f"{name}.py"
    program = pl.load_program(path)
    entry = option(path, "--entry", "main")
    main = next(f for f in program.functions if f.name == entry)
    is_host = main.type == pl.FunctionType.Host
    for ranks in map(int, option(path, "--ranks", "1").split(",")):
        random = np.random.default_rng(ranks)
        arguments = [whole(argument(p, ranks, random, -4, 5)) for p in main.params]

        def outputs(**options):
            given = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
            executable = program.compile(entry=entry, target=options.pop("target"))
            executable(*given, **({"ranks": ranks} if is_host else {}), **options)
            return [a for a in given if isinstance(a, np.ndarray)]

        expected = outputs(target="interp")
        for settings in place.settings(schedules=4):
            for found, wanted in zip(outputs(**settings), expected):
                np.testing.assert_array_equal(found, wanted, err_msg=f"{ranks} ranks, {settings}")
