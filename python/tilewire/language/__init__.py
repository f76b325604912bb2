"""The language: `import tilewire.language as pl`.

Ops, types, enums and element types come from the compiler's own tables. Inside decorated functions they are
program text; outside, ops called with IR expressions build `tilewire.ir.Call` nodes.
"""

from __future__ import annotations

import functools
from typing import Any

from tilewire import _core, ir
from tilewire._core import DType, TensorView
from tilewire._entry_points import entry_point
from tilewire._reading import JitFunction, function, jit, load_program, parse, program

__tilewire_path__ = "pl"
__all__ = [
    "DType", "JitFunction", "TensorView", "const", "dynamic",
    "function", "jit", "load_program", "parse", "program",
]  # fmt: skip


def dynamic(name: str) -> ir.DimSymbol:
    """A dimension known only when a program is called. Equal names are the same dimension."""
    return ir.DimSymbol(name)


@entry_point
def const(value: Any, dtype: DType) -> ir.Expr:
    """A constant of the given element type."""
    return _core.const(value, dtype)


_names = _core.language_names("pl")
globals().update(_names)
__all__ += _names

__getattr__ = functools.partial(_core.raise_missing, "pl")  # for names that are not there
