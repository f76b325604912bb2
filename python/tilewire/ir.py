"""The IR: what a program is after it has been read.

Nodes are immutable; every field of a node is a property and a constructor argument of its class. `==` and
hash() compare structure: spans and names of variables do not count, and a variable is equal only to itself.
`structural_equal` also matches the free variables of two trees one to one.
"""

from tilewire import _core
from tilewire._core import (
    DType,
    Expr,
    Node,
    Op,
    OpParam,
    Span,
    Stmt,
    Type,
    deserialize,
    first_difference,
    op,
    ops,
    structural_equal,
    structural_hash,
)


def _publish() -> list[str]:
    names = ["DType", "Op", "OpParam", "Span", "deserialize", "first_difference", "op", "ops"]
    names += ["structural_equal", "structural_hash"]
    for name, value in vars(_core).items():
        if isinstance(value, type) and issubclass(value, Node):
            value.__module__ = __name__
            globals()[name] = value
            names.append(name)
    for name in ("Direction", "LoopKind"):
        globals()[name] = _core.enumerations[name]
        names.append(name)
    for value in (Op, OpParam, Span):
        value.__module__ = __name__
    return sorted(names)


__all__ = _publish()
