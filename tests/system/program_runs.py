"""What has to hold for a random program: its verdict, its runs and its replays agree.

`examine(case)` checks the program and then
- runs a proved one on every target, on 1, 2 and 4 threads and under random schedules: the results are the same bits,
  the same text is printed, and without the prints the results are still the same,
- replays the schedule of a refuted one: interpreter and native code end as the report says.
"""

from __future__ import annotations

import dataclasses
import os
import re
import tempfile
import warnings
from pathlib import Path
from typing import Any, Callable

import numpy as np

import tilewire as tw
import tilewire.language as pl
from program_case import Case
from targets import TARGETS

SCHEDULES = 400  # that the search may try before it gives up
SEEDS = 3  # random schedules of a program, per target
CALLS = 3  # of a session


class Wrong(Exception):
    """What is wrong with a program; `kind` in a few words that stay the same while it is cut down."""

    def __init__(self, kind: str, text: str = ""):
        super().__init__(text or kind)
        self.kind = kind


class Output:
    """What this process writes to standard output, native code included."""

    def __enter__(self) -> Output:
        self._file = tempfile.TemporaryFile()
        self._outer = os.dup(1)
        os.dup2(self._file.fileno(), 1)
        return self

    def __exit__(self, *_: Any) -> None:
        os.dup2(self._outer, 1)
        os.close(self._outer)
        self._file.close()

    def take(self) -> list[str]:
        """The prints since the last call, sorted: only those of one block come in an order."""
        self._file.seek(0)
        text = self._file.read().decode()
        os.ftruncate(1, 0)
        os.lseek(1, 0, os.SEEK_SET)
        return sorted(re.split(r"^(?=rank \d+, block )", text, flags=re.MULTILINE)[1:])


@dataclasses.dataclass
class Outcome:
    verdict: str
    found: str = ""  # the kind of the first error
    open: bool = False  # a result depends on the schedule, as the report says
    method: str = ""


def _quietly(work: Callable[[], Any]) -> tuple[Any, list[str]]:
    """What `work` returns, and what a replay said."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = work()
    return result, [str(w.message) for w in caught if w.category is tw.ReplayWarning]


def _call(kind: str, work: Callable[[], Any]) -> Any:
    try:
        return _quietly(work)[0]
    except tw.Error as error:
        raise Wrong(f"{kind}: {type(error).__name__}", f"{kind}: {error}") from None


def examine(case: Case, stage: Callable[[str], None] = lambda name: None) -> Outcome:
    """Raises Wrong. `stage` is told what is about to happen, so that a process that hangs has said where."""
    with Output() as output:
        return _examine(case, stage, output)


def _examine(case: Case, stage: Callable[[str], None], output: Output) -> Outcome:
    stage("reading")
    program = _call("reading", lambda: pl.parse(case.text, f"seed_{case.seed}.py"))
    stage("checking")
    reports = _call("checking", lambda: program.main.check(*case.arguments(), ranks=case.ranks, limit=SCHEDULES, split=case.split))
    [report] = reports
    if output.take():
        raise Wrong("the checker prints")
    found = next((f for f in report.findings if f.error), None)
    outcome = Outcome(report.verdict, found.kind if found else "", any(f.kind == "schedule" for f in report.findings),
                      report.method)  # fmt: skip
    if report.verdict == "invalid":
        raise Wrong("invalid", f"invalid: {report.invalid}")
    if report.verdict == "proved":
        _on_hosts(case, program, stage, output)
        _compare(case, program, outcome, stage, output)
        if case.reusable and not outcome.open:
            _session(case, program, stage, output)
    elif report.verdict == "refuted":
        if case.split == "split":
            stage("checking fused")
            whole = {"ranks": case.ranks, "limit": SCHEDULES, "split": "fused"}
            [fused] = _call("checking fused", lambda: program.main.check(*case.arguments(), **whole))
            if fused.verdict == "proved":
                raise Wrong("split kernels are refuted, fused ones proved", str(report))
        _replay(case, program, report, found, stage, output)
    return outcome


def _on_hosts(case: Case, program: Any, stage: Callable[[str], None], output: Output) -> None:
    """A proof for one host covers several as far as the program leaves windows to the collectives that work on them; one
    that was mutated may not."""
    if case.ranks == 1 or case.mutations:
        return
    stage("checking on hosts")
    hosts = 2 if case.ranks % 2 == 0 else case.ranks
    settings = {"ranks": case.ranks, "hosts": hosts, "limit": SCHEDULES, "split": case.split}
    [report] = _call("checking on hosts", lambda: program.main.check(*case.arguments(), **settings))
    if report.verdict not in ("proved", "bounded"):
        raise Wrong(f"{report.verdict} on several hosts", str(report))
    output.take()


def _compare(case: Case, program: Any, outcome: Outcome, stage: Callable[[str], None], output: Output) -> None:
    """Runs of a proved program. Where results may depend on the schedule, that they end is all that is asked."""
    runs: list[tuple[str, dict[str, Any]]] = [("interp", {})]
    runs += [("interp", {"schedule": f"random:{case.seed + i}"}) for i in range(SEEDS)]
    if "cpu" in TARGETS:
        runs += [("cpu", {"threads": threads}) for threads in (1, 2, 4)]
        runs += [("cpu", {"schedule": f"random:{case.seed + i}", "threads": (2, 1, 4)[i % 3]}) for i in range(SEEDS)]
    expected, expected_print = None, []
    compiled: dict[str, Any] = {}
    for target, settings in runs:
        words = " ".join([target, *(f"{k}={v}" for k, v in settings.items())])
        kind = " ".join([target, *(["random"] if "schedule" in settings else [])])
        stage(f"proved, {words}")
        if target not in compiled:
            compiled[target] = _call(f"{target} compile", lambda: program.compile(entry="main", target=target, split=case.split))
        given = case.arguments()
        _call(f"proved, {kind}", lambda: compiled[target](*given, ranks=case.ranks, **settings))
        printed = output.take()
        if expected is None:
            expected, expected_print = given, printed
        elif not outcome.open:
            _same(expected, given, f"proved, {kind}", words)
            _same_print(expected_print, printed, f"proved, {kind}", words)
    if "print" in case.features and not outcome.open:
        stage("proved, without prints")
        plain = re.sub(r"pl\.print\(.*\)$", "pass", case.text, flags=re.MULTILINE)
        given = case.arguments()
        _call("without prints", lambda: pl.parse(plain).compile(entry="main")(*given, ranks=case.ranks))
        _same(expected, given, "proved, without prints", "without prints")
    if case.split == "fused" or outcome.open:
        return
    # Fused kernels have the order of the program where halves have that of their pipe: the bits are the same.
    for target in TARGETS:
        stage(f"proved, fused on {target}")
        exe = _call(f"{target} compile", lambda: program.compile(entry="main", target=target, split="fused"))
        given = case.arguments()
        _call("proved, fused", lambda: exe(*given, ranks=case.ranks))
        _same(expected, given, "proved, fused", f"fused on {target}")
        output.take()


def _same_print(expected: list[str], got: list[str], kind: str, words: str) -> None:
    if expected != got:
        raise Wrong(f"{kind}: prints differ", f"{words} prints\n{''.join(got)}, the interpreter\n{''.join(expected)}")


def _same(expected: list[Any], got: list[Any], kind: str, words: str) -> None:
    for name, a, b in zip(("x", "xi", "y", "yi"), expected, got):
        unlike = np.argwhere(a.view(np.int32) != b.view(np.int32))
        if len(unlike):
            at = tuple(int(i) for i in unlike[0])
            raise Wrong(f"{kind}: results differ", f"{words}: {len(unlike)} elements of {name} differ, first {list(at)}: "
                        f"{b[at]}, the interpreter says {a[at]}")  # fmt: skip


def _session(case: Case, program: Any, stage: Callable[[str], None], output: Output) -> None:
    """Windows are kept from call to call; a program that leaves them as it found them does not notice. One that was
    mutated may read what the last call left, without a race."""
    if case.mutations:
        return
    stage("checking two calls")
    settings = {"ranks": case.ranks, "limit": SCHEDULES, "calls": 2, "split": case.split}
    reports = _call("checking two calls", lambda: program.main.check(*case.arguments(), **settings))
    if reports.verdict == "refuted":
        raise Wrong("two calls are refuted", str(reports))
    if "cpu" not in TARGETS:
        return
    stage("session")
    exe = _call("cpu compile", lambda: program.compile(entry="main", target="cpu", split=case.split))
    interp = program.compile(entry="main", target="interp", split=case.split)
    with exe.open(ranks=case.ranks) as session:
        for call in range(CALLS):
            given, expected = case.arguments(call), case.arguments(call)
            _call("session", lambda: session(*given))
            printed = output.take()
            _call("session, interp", lambda: interp(*expected, ranks=case.ranks))
            _same(expected, given, "session", f"call {call}")
            _same_print(output.take(), printed, "session", f"call {call}")


def _replay(case: Case, program: Any, report: Any, found: Any, stage: Callable[[str], None], output: Output) -> None:
    """The schedule of the finding ends as the report says, on every target alike."""
    first = None
    with tempfile.TemporaryDirectory() as folder:
        schedule = Path(folder) / "schedule.json"
        report.schedule(schedule)
        for target in TARGETS:
            stage(f"refuted ({found.kind}), {target} replay")
            exe = _call(f"{target} compile", lambda: program.compile(entry="main", target=target, split=case.split))
            given, error = case.arguments(), None
            output.take()
            said: list[str] = []
            try:
                _, said = _quietly(lambda: exe(*given, ranks=case.ranks, replay=schedule))
            except tw.Error as raised:
                error = raised
            _confirm(target, found, error, said)
            # A race may be the read of a created tensor before it is written, which may be anything.
            results = [] if "create_tensor" in case.text else [a.tobytes() for a in given]
            ending = (type(error).__name__, said, results, output.take() if results else [])
            if first is None:
                first = ending
            elif first != ending:
                part = next(i for i in range(4) if first[i] != ending[i])
                raise Wrong(f"refuted, replays differ: {('error', 'uses', 'results', 'prints')[part]}",
                            f"replay of {found.kind}: {first[:2]} {first[3]} and {ending[:2]} {ending[3]}")  # fmt: skip


def _confirm(target: str, found: Any, error: Any, said: list[str]) -> None:
    def no(text: str) -> None:
        raise Wrong(f"refuted ({found.kind}), {target} replay", f"{target} replay of {found.kind}: {text}\n{found.message}")

    if error is not None and "TW2133" in str(error):
        no(f"cannot be followed: {error}")
    if found.kind in ("deadlock", "overshot"):
        if not isinstance(error, tw.DeadlockError):
            no(f"no deadlock: {error}")
    elif found.kind in ("race", "shard", "lost"):
        text = said[0] if said else error.diagnostics[0].notes[-1].text if error and error.diagnostics[0].notes else ""
        if not re.match(r"replayed: (.*); then (.*); nothing orders the two$", text):
            no(f"nothing said: {text} {error}")
    elif found.kind in ("bounds", "window"):
        if type(error) is not tw.RunError:
            no(f"no error: {error}")
