"""Programs with a host function do what the interpreter does: those of tests/lang/programs on 1 to 4 ranks, and the cases
that the files of programs/ ask for in comments, one on a line:

    # run: ENTRY ranks=1,2,4 [n=3] [range.x=0..3] [tolerance=0] [split]
    # collective: ENTRY ranks=1,2,4 [n=3]
    # fails: ENTRY CODE LINE ranks=2 [n=3]
    # refused: ENTRY

`n=3` is a scalar argument. What is refused as well is found in sizes before any rank starts; places may say it differently.
tests/unit/cpu reads `run` and `fails`, of programs as they were written, so it knows no collectives; `hooks` is for it.
"""

import dataclasses
import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import tilewire
import tilewire.language as pl
from arguments import argument

LANGUAGE = Path(__file__).parents[1] / "lang" / "programs"
PROGRAMS = Path(__file__).parent / "programs"
# Their results depend on the schedule: a value that a wait saw, a count of polls, parts that nothing orders.
OPEN = {"producer_consumer", "put_get", "remote_memory", "slot_signals"}
FEWEST = {"comm_groups": 4, "pipeline_parallel": 2}  # ranks they are written for
TOLERANCE = {np.dtype(np.float32): 1e-5, np.dtype(np.float16): 1e-2, np.dtype(ml_dtypes.bfloat16): 2e-2}


def host_of(program):
    return next((f for f in program.functions if f.type == pl.FunctionType.Host), None)


def outputs(program, entry, arguments, ranks, split="fused", **settings):
    given = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    program.compile(entry=entry, target=settings.pop("target"), split=split)(*given, ranks=ranks, **settings)
    return [a for a in given if isinstance(a, np.ndarray)]


def expect_agreement(place, program, entry, arguments, ranks, tolerance=None, split="fused"):
    expected = outputs(program, entry, arguments, ranks, target="interp")
    for settings in place.settings():
        for a, b in zip(expected, outputs(program, entry, arguments, ranks, split, **settings)):
            near = TOLERANCE.get(a.dtype, 0) if tolerance is None else tolerance
            np.testing.assert_allclose(b.astype(np.float64), a.astype(np.float64), rtol=near, atol=near,
                                       err_msg=f"{ranks} ranks, {settings}")


def language_programs():
    for path in sorted(LANGUAGE.glob("*.py")):
        if path.stem not in OPEN and "pld." in path.read_text() and host_of(pl.load_program(path)):
            yield path.stem


@pytest.mark.needs("interpreter")
@pytest.mark.parametrize("name", list(language_programs()))
@pytest.mark.filterwarnings("ignore")
def test_language(name, place):
    program = pl.load_program(LANGUAGE / f"{name}.py")
    host = host_of(program)
    for ranks in range(FEWEST.get(name, 1), 5):
        random = np.random.default_rng(ranks)
        expect_agreement(place, program, host.name, [argument(p, ranks, random) for p in host.params], ranks)


@dataclasses.dataclass
class Case:
    file: str
    entry: str
    code: str
    line: int
    refused: bool
    ranks: list[int]
    scalars: dict[str, int]
    ranges: dict[str, tuple[float, float]]
    tolerance: float | None
    split: str  # "split": kernels that mix products and other work run as two halves

    def arguments(self, function, ranks):
        random = np.random.default_rng(ranks)
        for parameter in function.params:
            name = parameter.name
            if name in self.scalars:
                yield bool(self.scalars[name]) if str(parameter.type.dtype) == "pl.BOOL" else self.scalars[name]
            else:
                yield argument(parameter, ranks, random, *self.ranges.get(name, (-1, 1)))


def cases():
    for path in sorted(PROGRAMS.glob("*.py")):
        text = path.read_text()
        asked = re.findall(r"^# (?:(?:run|collective): (\w+)|fails: (\w+) (\w+) (\d+))(.*)$", text, re.MULTILINE)
        refused = set(re.findall(r"^# refused: (\w+)$", text, re.MULTILINE))
        assert asked, path
        for runs, fails, code, line, rest in asked:
            words = rest.split()
            if "hooks" in words:  # random schedules take that code
                continue
            split = "split" if "split" in words else "fused"
            values = dict(word.split("=") for word in words if word != "split")
            ranks = [int(n) for n in values.pop("ranks").split(",")]
            tolerance = values.pop("tolerance", None)
            ranges = {key.removeprefix("range."): tuple(map(float, values.pop(key).split("..")))
                      for key in list(values) if key.startswith("range.")}
            yield Case(path.name, runs or fails, code, int(line or 0), fails in refused, ranks,
                       {key: int(value) for key, value in values.items()}, ranges,
                       None if tolerance is None else float(tolerance), split)


RIGHT = [case for case in cases() if not case.code]
WRONG = [case for case in cases() if case.code]


def title(case):
    return f"{case.file[:-3]}-{case.entry}"


@pytest.mark.needs("interpreter")
@pytest.mark.parametrize("case", RIGHT, ids=title)
@pytest.mark.filterwarnings("ignore")
def test_case(case, place):
    program = pl.load_program(PROGRAMS / case.file)
    for ranks in case.ranks:
        arguments = list(case.arguments(program[case.entry], ranks))
        expect_agreement(place, program, case.entry, arguments, ranks, case.tolerance, case.split)


@pytest.mark.needs("interpreter")
@pytest.mark.parametrize("case", WRONG, ids=title)
def test_fault(case, place):
    program = pl.load_program(PROGRAMS / case.file)
    for ranks in case.ranks:
        arguments = list(case.arguments(program[case.entry], ranks))
        found = set()
        for settings in [{"target": "interp"}, *place.settings()]:
            with pytest.raises(tilewire.RunError) as raised:
                outputs(program, case.entry, arguments, ranks, **settings)
            [diagnostic] = raised.value.diagnostics
            if not case.refused:
                assert (diagnostic.code, diagnostic.line) == (case.code, case.line), settings
                found.add(diagnostic.message)
        assert len(found) == (not case.refused), found
