"""Reports of the checker: over every schedule, can a program race, deadlock or misuse signals?

    reports = program.check(ranks=[2, 3])
    assert reports.ok, reports
    reports.html("report.html")
"""

from __future__ import annotations

import html as _html
import json as _json
import operator
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from tilewire import _core
from tilewire.errors import Note

__all__ = ["Cell", "Data", "Finding", "Input", "Note", "Place", "Report", "Reports", "Step"]

_WORST = ("invalid", "refuted", "bounded", "proved")


@dataclass(frozen=True)
class Place:
    """A task that takes part in a finding. Rank -1 is the host; lines and columns count from 1, line 0: no place."""

    rank: int
    function: str
    half: str  # "cube half" of a kernel that is made of two; else empty
    block: int
    call: int  # of the entry, from 1
    file: str
    line: int
    column: int
    text: str


@dataclass(frozen=True)
class Step:
    """One step of the schedule that leads to the error."""

    rank: int
    who: str
    line: int
    text: str
    brief: str
    wrong: bool  # part of what went wrong, not of the way there


@dataclass(frozen=True)
class Input:
    """What was made up for arguments that were left out, "n = 2". One that stops on a checked error is not valid."""

    values: str
    valid: bool
    error: str | None  # why it is not


@dataclass(frozen=True)
class Cell:
    """Signal cells of one name, on all ranks: "monotone", "credit", "epoch" or "general"."""

    name: str
    kind: str
    use: str


@dataclass(frozen=True)
class Data:
    """A parameter whose elements decide what the program does: the verdict holds for those given."""

    parameter: str
    decides: str
    file: str
    line: int
    column: int


@dataclass(frozen=True)
class Finding:
    """Something that is wrong, or odd: `error` tells which."""

    kind: str  # "race", "deadlock", ...
    error: bool
    ranks: int  # the number it was found at
    code: str  # "TW2501"
    message: str
    file: str
    line: int
    column: int
    label: str
    notes: tuple[Note, ...]
    helps: tuple[str, ...]
    places: tuple[Place, ...]
    story: tuple[Step, ...]  # the end of the schedule that shows it
    timeline: Mapping[str, Any] | None = field(repr=False)  # all of it, as in the JSON form

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of all places, ascending."""
        return tuple(sorted({self.line, *(place.line for place in self.places)} - {0}))


class Report:
    """The verdict for one number of ranks: "proved", "refuted", "bounded" or "invalid"."""

    def __init__(self, core: Any):
        self._core = core
        said = _json.loads(_core.reports_json([core]))[0]
        self.ranks: int = said["ranks"]
        self.calls: int = said["calls"]
        self.verdict: str = said["verdict"]
        self.method: str = said["method"]
        self.assumed: str = said["assumed"]  # "n = 0, 1, 2, 3; 1 call from zeroed windows": made-up inputs
        self.inputs = tuple(Input(i["values"], i["valid"], i.get("error", {}).get("message")) for i in said["inputs"])
        self.events: int = said["events"]
        self.schedules: int = said["schedules"]
        self.random: int = said["random"]
        self.states: int = said["states"]
        self.cells = tuple(Cell(c["name"], c["class"], c["use"]) for c in said["cells"])
        self.data = tuple(Data(**d) for d in said["data"])
        self.findings = tuple(_finding(f, self.ranks) for f in said["findings"])
        self.timeline: Mapping[str, Any] | None = said.get("timeline")
        self.invalid: str | None = said["invalid"]["message"] if "invalid" in said else None

    @property
    def ok(self) -> bool:
        """Whether it is proved; warnings do not matter."""
        return self.verdict == "proved"

    def text(self) -> str:
        """As the command prints it."""
        return str(self._core.text())

    def json(self) -> str:
        """As `tilewire check --json` prints it."""
        return str(_core.reports_json([self._core]))

    def html(self, path: str | os.PathLike[str]) -> None:
        """Writes a page to look at."""
        _write(path, _core.reports_html([self._core]))

    def schedule(self, path: str | os.PathLike[str]) -> None:
        """Writes how the first error comes about, for `f(..., replay=path)`."""
        _write_schedule(path, [self._core])

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Report {self.ranks} ranks: {self.verdict}>"

    def _repr_html_(self) -> str:
        return _frame(_core.reports_html([self._core]))


class Reports(Sequence[Report]):
    """One report per number of ranks, and what they say together."""

    def __init__(self, reports: Iterable[Report]):
        self._reports = tuple(reports)

    @property
    def verdict(self) -> str:
        """The worst of them."""
        found = {report.verdict for report in self._reports}
        return next(verdict for verdict in _WORST if verdict in found)

    @property
    def ok(self) -> bool:
        """Whether all are proved."""
        return all(report.ok for report in self._reports)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for report in self._reports for finding in report.findings)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Those of all reports, each once."""
        return tuple(dict.fromkeys(cell for report in self._reports for cell in report.cells))

    def text(self) -> str:
        """As the command prints it."""
        return "\n".join(report.text() for report in self._reports)

    def json(self) -> str:
        """As `tilewire check --json` prints it."""
        return str(_core.reports_json(self._cores()))

    def html(self, path: str | os.PathLike[str]) -> None:
        """Writes a page to look at."""
        _write(path, _core.reports_html(self._cores()))

    def schedule(self, path: str | os.PathLike[str]) -> None:
        """Writes how the first error comes about, for `f(..., replay=path)`."""
        _write_schedule(path, self._cores())

    def _cores(self) -> list[Any]:
        return [report._core for report in self._reports]

    @overload
    def __getitem__(self, index: int) -> Report: ...
    @overload
    def __getitem__(self, index: slice) -> Reports: ...
    def __getitem__(self, index: int | slice) -> Report | Reports:
        return Reports(self._reports[index]) if isinstance(index, slice) else self._reports[index]

    def __len__(self) -> int:
        return len(self._reports)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        each = [f"{r.ranks} {'rank' if r.ranks == 1 else 'ranks'}: {r.verdict}" for r in self._reports]
        return f"<Reports {', '.join(each)}>"

    def _repr_html_(self) -> str:
        return _frame(_core.reports_html(self._cores()))


def check_program(
    program: Callable[[tuple[Any, ...], dict[str, Any]], Any],
    entry: str,
    arguments: tuple[Any, ...],
    named: dict[str, Any],
    ranks: int | Iterable[int] | None,
    make: Callable[[int], Any] | None,
    hosts: int,
    calls: int,
    cores: int,
    seed: int,
    limit: int,
    general: bool,
    split: str,
) -> Reports:
    """`program` returns the program, and the remaining arguments, for arguments in order and by name."""
    counts = [ranks] if isinstance(ranks, int) else [_count(count, ranks) for count in ranks or ()]
    if ranks is not None and not counts:
        raise ValueError("ranks must name at least one number of ranks")
    if calls < 1:
        raise ValueError("calls must be 1 or more")
    if hosts < 1:
        raise ValueError("hosts must be 1 or more")
    if cores < 0 or seed < 0 or limit < 0:
        raise ValueError("cores, seed and limit must not be negative")

    def reports(in_order: tuple[Any, ...], by_name: dict[str, Any], at: list[int]) -> list[Any]:
        checked, in_order, by_name = program(in_order, by_name)
        made: list[Any] = _core.check(checked, entry, in_order, by_name, at, hosts, calls, cores, seed, limit, general, split)
        return made

    if make is None:
        return Reports(map(Report, reports(arguments, named, counts)))
    if arguments or named:
        raise TypeError("arguments are given, or made by `make`, not both")
    if not counts:
        raise TypeError("`make` needs the numbers of ranks: ranks=[2, 3]")
    found: list[Any] = []
    for count in counts:
        made = make(count)
        if isinstance(made, Mapping):
            found += reports((), dict(made), [count])
        else:
            found += reports(tuple(made) if isinstance(made, (tuple, list)) else (made,), {}, [count])
    _core.drop_reached_elsewhere(found)
    return Reports(map(Report, found))


def _count(count: Any, ranks: Any) -> int:
    try:
        return operator.index(count)
    except TypeError:
        raise TypeError(f"ranks must be an int or several, got {ranks!r}") from None


def _finding(said: dict[str, Any], ranks: int) -> Finding:
    return Finding(
        kind=said["kind"],
        error=said["error"],
        ranks=ranks,
        code=f"TW{said['code']:04}",
        message=said["message"],
        file=said["file"],
        line=said["line"],
        column=said["column"],
        label=said["label"],
        notes=tuple(Note(**note) for note in said["notes"]),
        helps=tuple(said["helps"]),
        places=tuple(Place(**place) for place in said["places"]),
        story=tuple(Step(**step) for step in said["story"]),
        timeline=said.get("timeline"),
    )


def _frame(page: str) -> str:
    """A page inside another one, which its scripts cannot reach."""
    text = _html.escape(page)
    return f'<iframe sandbox="allow-scripts" srcdoc="{text}" style="width:100%;height:720px;border:0"></iframe>'


def _write(path: str | os.PathLike[str], text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _write_schedule(path: str | os.PathLike[str], cores: list[Any]) -> None:
    text = _core.reports_schedule(cores)
    if not text:
        raise ValueError("nothing is wrong: there is no schedule to write")
    _write(path, text)
