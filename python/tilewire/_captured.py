"""What a program took from the Python around it when it was read: whether a later call would read the same.

Names are compared by identity, at every call: a redefined kernel or a rebound constant is another object. Attributes
and elements of captured objects, and lists, are looked up again and compared by value. What a Python function computed
while the program was read is not computed again.
"""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Iterable
from types import CellType
from typing import Any

_MISSING = object()
_is = operator.is_


class Captured:
    """The names of one reading. `taken`: for each, its reader, its expression, and its value if it has one."""

    def __init__(self, taken: Iterable[tuple[Any, str, Any]]):
        names: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}  # by the identity of globals
        cells: dict[int, CellType] = {}
        self._slow: list[Callable[[], bool]] = []
        for reader, expression, value in taken:
            for name in _names(expression):
                place = reader.place(name)
                if isinstance(place, CellType):
                    cells[id(place)] = place
                elif place is not None:
                    names.setdefault(id(place), (place, {}))[1][name] = place.get(name, _MISSING)
            if not expression.isidentifier() and not _calls(expression):
                self._slow.append(_again(reader, expression, value))
            elif isinstance(value, (list, tuple)):
                self._slow.append(_again(reader, expression, value))
        self._names = []
        for scope, found in names.values():
            inherited = [name for name, value in found.items() if value is _MISSING]
            for name in inherited:  # from builtins, or not defined
                del found[name]
                self._slow.append(_still_inherited(scope, name))
            if found:
                keys = [*found, next(iter(found))]  # of two or more, itemgetter makes a tuple
                self._names.append((scope, operator.itemgetter(*keys), tuple(found[key] for key in keys)))
        self._cells = [(cell, _content(cell)) for cell in cells.values()]

    def hold(self) -> bool:
        """Whether all of them are what they were."""
        try:
            for scope, get, values in self._names:
                if not all(map(_is, get(scope), values)):
                    return False
        except KeyError:  # a name was deleted
            return False
        for cell, content in self._cells:
            if _content(cell) is not content:
                return False
        for same in self._slow:
            if not same():
                return False
        return True


def _names(expression: str) -> list[str]:
    if expression.isidentifier():
        return [expression]
    return [node.id for node in ast.walk(_parsed(expression)) if isinstance(node, ast.Name)]


def _calls(expression: str) -> bool:
    return any(isinstance(node, ast.Call) for node in ast.walk(_parsed(expression)))


def _parsed(expression: str) -> ast.Expression:
    return ast.parse(f"(\n{expression}\n)", mode="eval")


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return _MISSING


def _still_inherited(scope: dict[str, Any], name: str) -> Callable[[], bool]:
    value = getattr(builtins, name, _MISSING)
    return lambda: name not in scope and getattr(builtins, name, _MISSING) is value


def _again(reader: Any, expression: str, value: Any) -> Callable[[], bool]:
    code = compile(_parsed(expression), "<captured>", "eval")
    frozen = _frozen(value)

    def same() -> bool:
        try:
            return bool(_frozen(reader.run(code)) == frozen)
        except Exception:
            return False

    return same


def _frozen(value: Any) -> Any:
    """Equal for values that a program reads alike; lists may change in place."""
    if isinstance(value, (list, tuple)):
        return type(value), tuple(map(_frozen, value))
    if isinstance(value, (int, float, str, bytes)):
        return type(value), value
    return _Identity(value)


class _Identity:
    """Equal to another one of the same object, which it keeps."""

    def __init__(self, value: Any):
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and other._value is self._value
