"""The IR: what a program is after it has been read.

Nodes are immutable; every field of a node is a property and a constructor argument of its class. `==` and
hash() compare structure: spans and names of variables do not count, and a variable is equal only to itself.
`structural_equal` also matches the free variables of two trees one to one.
"""

from __future__ import annotations

from typing import Any

from tilewire import _core
from tilewire._core import DType, Expr, Node, Op, OpParam, Span, Stmt, Type


def deserialize(data: bytes) -> Any:
    """The node that `serialize` wrote. Raises ProgramError for bytes that hold none or a wrong program."""
    return _core.deserialize(data)


def structural_equal(a: Node, b: Node) -> bool:
    """Whether two nodes mean the same; variables correspond one to one, also those neither defines."""
    return _core.structural_equal(a, b)


def structural_hash(node: Node) -> int:
    """Equal for structurally equal nodes, on every machine."""
    return _core.structural_hash(node)


def first_difference(a: Node, b: Node) -> str:
    """Where two nodes first differ and how; empty when they are equal."""
    return _core.first_difference(a, b)


def op(name: str) -> Op:
    """The declaration of an op: ir.op("pl.tile.add")."""
    return _core.op(name)


def ops() -> list[Op]:
    """All ops."""
    return _core.ops()


def _publish() -> list[str]:
    names = ["DType", "Op", "OpParam", "Span", "deserialize", "first_difference", "op", "ops"]
    names += ["structural_equal", "structural_hash"]
    for name, value in vars(_core).items():
        if isinstance(value, type) and issubclass(value, Node):
            value.__module__ = __name__
            globals()[name] = value
            names.append(name)
    for name in ("Direction", "LoopKind", "ScopeKind"):
        globals()[name] = _core.enumerations[name]
        names.append(name)
    for value in (Op, OpParam, Span):
        value.__module__ = __name__
    return sorted(names)


__all__ = _publish()
