"""What can go wrong, as Python sees it. All exceptions derive from `Error`."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass


@dataclass(frozen=True)
class Note:
    """A remark beside a diagnostic, with the place it speaks of (line 0: none)."""

    text: str
    file: str
    line: int
    column: int


@dataclass(frozen=True)
class Diagnostic:
    """One message about a program. Lines and columns count from 1, columns in characters; line 0: no place."""

    code: str  # "TW0312"
    severity: str  # "error" or "warning"
    message: str
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    label: str  # what was found there
    notes: tuple[Note, ...]
    helps: tuple[str, ...]  # what to write instead
    rendered: str  # as the command prints it

    def __str__(self) -> str:
        return self.rendered


class Error(Exception):
    """Base of all exceptions of Tilewire; `diagnostics` has place and reason of each error, and the text shows all of them."""

    def __init__(self, text: str, diagnostics: tuple[Diagnostic, ...] = ()):
        super().__init__(text, diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        return str(self.args[0])


class ProgramError(Error):
    """A program is invalid."""


class RunError(Error):
    """A call was invalid, or a program failed while it ran."""


class DeadlockError(RunError):
    """Deadlock: tasks of a run are blocked, and nothing can wake them."""


class WorldError(RunError):
    """The processes of a world cannot continue together: one has ended, or they make different calls."""


class BundleError(Error):
    """A saved program cannot be loaded."""


class Warning(UserWarning):
    """A program is probably not what its author meant."""


class ReplayWarning(UserWarning):
    """A run followed a schedule that the checker found: the two accesses in the order of the schedule."""


# Every replay is reported, also if one line replays twice; filters of the user take precedence.
warnings.filterwarnings("always", category=ReplayWarning, append=True)


def warn_of_replay(text: str) -> None:
    """At the line that called the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "tilewire":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, ReplayWarning, level)


def warn(diagnostic: Diagnostic) -> None:
    warnings.warn_explicit(diagnostic.rendered, Warning, diagnostic.file or "<program>", max(diagnostic.line, 1))
