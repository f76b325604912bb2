"""What programs give, for test_world_programs.py, which starts this in one process and in several:

    python world_programs.py language                 # those of tests/lang and tests/conformance, and the examples
    python world_programs.py random COUNT FIRST       # random ones that the checker proves, from a seed on
    python world_programs.py random SEED,SEED,...     # these

One line for each call: its name and a digest of all its arrays, or the code of its error.
"""

import contextlib
import hashlib
import io
import runpy
import sys
import warnings
from pathlib import Path

import numpy as np
import tilewire as tw
import tilewire.language as pl
from arguments import argument

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS / "conformance"))
RANKS = (2, 4, 8)
SCHEDULES = 400  # that the checker may try


def digest(work, given):
    try:
        work()
    except tw.Error as error:
        return error.diagnostics[0].code
    return hashlib.sha256(b"".join(a.tobytes() for a in given if isinstance(a, np.ndarray))).hexdigest()[:16]


def show(name, program, entry, given, ranks, split="fused"):
    print(name, file=sys.stderr, flush=True)  # who hangs has said where
    exe = program.compile(entry=entry, split=split)
    result = digest(lambda: exe(*given, ranks=ranks), given)
    print(f"{name} -> {result}", flush=True)


def language():
    import test_programs as known

    for name in known.language_programs():
        program = pl.load_program(known.LANGUAGE / f"{name}.py")
        host = known.host_of(program)
        for ranks in RANKS:
            if ranks % tw.world.size == 0 and ranks >= known.FEWEST.get(name, 1):
                random = np.random.default_rng(ranks)
                given = [argument(p, ranks, random) for p in host.params]
                show(f"{name} on {ranks}", program, host.name, given, ranks)
    for case in known.RIGHT + known.WRONG:
        program = pl.load_program(known.PROGRAMS / case.file)
        for ranks in case.ranks:
            if ranks > 1 and ranks % tw.world.size == 0:
                given = list(case.arguments(program[case.entry], ranks))
                show(f"{known.title(case)} {case.scalars} {case.split} on {ranks}", program, case.entry, given, ranks, case.split)


def examples():
    """They compare what they get with NumPy, and tell it."""
    for path in sorted((TESTS.parent / "examples").glob("*.py")):
        if "def main(ranks" not in path.read_text():
            continue
        example = runpy.run_path(str(path))["main"]
        for ranks in RANKS:
            if ranks % tw.world.size == 0:
                print(f"{path.name} on {ranks}", file=sys.stderr, flush=True)
                with contextlib.redirect_stdout(io.StringIO()) as told:
                    example(ranks)
                print(f"{path.name} on {ranks} -> {hashlib.sha256(told.getvalue().encode()).hexdigest()[:16]}", flush=True)


def proved(case, program):
    [report] = program.main.check(*case.arguments(), ranks=case.ranks, limit=SCHEDULES, split=case.split)
    return report.verdict == "proved" and not any(finding.kind == "schedule" for finding in report.findings)


def random_programs(seeds, count=None):
    from generate_programs import generate

    for seed in seeds:
        case = generate(seed)
        if case.ranks % max(tw.world.size, 2) != 0:
            continue
        program = pl.parse(case.text, f"seed_{seed}.py")
        if count is not None:
            if not proved(case, program):
                continue
            count -= 1
        show(f"{seed} on {case.ranks}", program, "main", case.arguments(), case.ranks, case.split)
        if count == 0:
            return


def main(mode, *words):
    warnings.simplefilter("ignore")
    if mode == "language":
        language()
        examples()
    elif len(words) == 2:
        first = int(words[1])
        random_programs(range(first, first + 1_000_000), int(words[0]))
    else:
        random_programs([int(seed) for seed in words[0].split(",")])


if __name__ == "__main__":
    main(*sys.argv[1:])
