"""For mypy: a class decorated with pl.program is a program, so `P.as_python()` and `P.kernel` are right.

    [tool.mypy]
    plugins = ["tilewire.mypy_plugin"]
"""

from __future__ import annotations

from typing import Callable

from mypy.nodes import TypeInfo
from mypy.plugin import ClassDefContext, Plugin
from mypy.types import Instance


def _add_program_metaclass(context: ClassDefContext) -> bool:
    # mypy ignores what a class decorator returns; a metaclass is the one place it looks for attributes of P.
    symbol = context.api.lookup_fully_qualified_or_none("tilewire.language._ProgramClass")
    if symbol is None or not isinstance(symbol.node, TypeInfo):
        return False
    context.cls.info.metaclass_type = Instance(symbol.node, [])
    return True


class TilewirePlugin(Plugin):
    def get_class_decorator_hook_2(self, fullname: str) -> Callable[[ClassDefContext], bool] | None:
        return _add_program_metaclass if fullname == "tilewire.language.program" else None


def plugin(version: str) -> type[Plugin]:
    return TilewirePlugin
