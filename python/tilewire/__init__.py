"""Tilewire: a compiler for distributed tile programs.

Programs are written with `tilewire.language` (pl) and `tilewire.language.distributed` (pld);
`tilewire.ir` is what they become when they are read.
"""

from tilewire import ir
from tilewire._core import __version__
from tilewire.errors import (
    BundleError,
    DeadlockError,
    Diagnostic,
    Error,
    ProgramError,
    RunError,
    Warning,
)

__all__ = [
    "BundleError",
    "DeadlockError",
    "Diagnostic",
    "Error",
    "ProgramError",
    "RunError",
    "Warning",
    "__version__",
    "ir",
]
