"""Functions in the function style as bytes: their source text, and the values of the names it uses.

Nothing refers to the module they are from, so that a function of a notebook or of `__main__` can be sent to another
process. Constants are those at the time of pickling.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import sys
import types
from typing import Any


class ModuleName:
    """In place of a module, which cannot be pickled."""

    def __init__(self, name: str):
        self._name = name

    def load(self) -> types.ModuleType:
        if self._name in sys.modules:
            return sys.modules[self._name]
        try:
            return importlib.import_module(self._name)
        except ModuleNotFoundError:  # a family of ops, pl.tile
            parent, _, child = self._name.rpartition(".")
            family: types.ModuleType = getattr(ModuleName(parent).load(), child)
            return family


def captured_values(text: bytes, reader: Any) -> dict[str, Any]:
    """The names that the text of a function uses and does not define, with their values."""
    function = parsed(text, 1)
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    own = {function.name, *(argument.arg for argument in every)}
    used = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    own |= {node.id for node in used if isinstance(node.ctx, ast.Store)}
    values: dict[str, Any] = {}
    for name in sorted({node.id for node in used} - own):
        try:
            value = reader.run(name)
        except NameError:
            continue  # of the language, or reported when it is read
        if value is not getattr(builtins, name, values):
            values[name] = ModuleName(value.__name__) if isinstance(value, types.ModuleType) else value
    return values


def loaded(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value.load() if isinstance(value, ModuleName) else value for name, value in values.items()}


def parsed(text: bytes, first_line: int) -> ast.FunctionDef:
    """The function of a text that starts at that line of its file and may be indented."""
    indented = text[:1].isspace()
    body: Any = ast.parse(b"if 1:\n" + text if indented else text).body[0]
    function = body.body[0] if indented else body
    assert isinstance(function, ast.FunctionDef)
    ast.increment_lineno(function, first_line - 1 - indented)
    return function


def defined(text: bytes, first_line: int, file: str, scope: dict[str, Any]) -> types.FunctionType:
    """The undecorated function, for its name and signature."""
    function = parsed(text, first_line)
    function.decorator_list.clear()
    exec(compile(ast.Module([function], []), file, "exec"), scope)
    made: types.FunctionType = scope[function.name]
    made.__code__ = made.__code__.replace(co_firstlineno=first_line)  # that of the decorator
    return made
