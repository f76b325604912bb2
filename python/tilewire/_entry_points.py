"""What users call: errors raised in it have no frames of this package in their traceback."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from tilewire import _core

_Function = TypeVar("_Function", bound=Callable[..., Any])


def entry_point(function: _Function) -> _Function:
    made: Any = functools.update_wrapper(_core.EntryPoint(function), function)
    result: _Function = made
    return result
