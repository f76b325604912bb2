"""For the tests of programs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tilewire.checking import Reports

__all__ = ["assert_safe"]


def assert_safe(
    program: Any, *arguments: Any, ranks: int | Iterable[int] | None = None, allow_bounded: bool = False, **settings: Any
) -> Reports:
    """Fails with the checker's report unless no schedule of the program goes wrong.

    Takes what `program.check` takes. A program of which not every schedule was seen fails too, unless
    `allow_bounded` is set.
    """
    __tracebackhide__ = True
    reports: Reports = program.check(*arguments, ranks=ranks, **settings)
    if not (reports.ok or (allow_bounded and reports.verdict == "bounded")):
        raise AssertionError(f"the program is not safe: {reports.verdict}\n\n{reports.text()}")
    return reports
