"""Tilewire: a compiler for distributed tile programs.

Programs are written with `tilewire.language` (pl) and `tilewire.language.distributed` (pld);
`tilewire.ir` is what they become when they are read.
"""

from tilewire import ir
from tilewire._core import Manifest, __version__, load_bundle, targets
from tilewire._world import init, world
from tilewire.checking import Report, Reports
from tilewire.errors import (
    BundleError,
    DeadlockError,
    Diagnostic,
    Error,
    ProgramError,
    ReplayWarning,
    RunError,
    Warning,
    WorldError,
)

__all__ = [
    "BundleError",
    "DeadlockError",
    "Diagnostic",
    "Error",
    "Manifest",
    "ProgramError",
    "ReplayWarning",
    "Report",
    "Reports",
    "RunError",
    "Warning",
    "WorldError",
    "__version__",
    "init",
    "ir",
    "load_bundle",
    "targets",
    "world",
]
