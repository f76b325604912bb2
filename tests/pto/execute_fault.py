"""What goes wrong while the text of a PTO module is executed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


class Problem(Exception):
    """Raised by the rule of an op; the executor adds where it happened. `code` names the kind of problem."""

    def __init__(self, code: str, message: str):
        super().__init__(message)
        self.code, self.message = code, message


@dataclass(frozen=True)
class Where:
    """An op, and who executes it."""

    function: str
    op: str
    line: int
    column: int
    core: str

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.op} in @{self.function}, {self.core}"


class ExecutionFault(Exception):
    """A module that cannot be executed to its end."""

    def __init__(self, code: str, message: str, where: Optional[Where] = None, source: str = ""):
        self.code, self.message, self.where = code, message, where
        text = f"{code}: {message}"
        if where:
            text += f"\n  --> {where}"
        if where and source:
            number = str(where.line)
            margin = " " * len(number)
            text += f"\n {margin} |\n {number} | {source}\n {margin} | {' ' * (where.column - 1)}^"
        super().__init__(text)
