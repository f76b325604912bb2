"""For mypy, which needs help with programs:

    [tool.mypy]
    plugins = ["tilewire.mypy_plugin"]

- Types of the language have shapes and dtypes as arguments: `pl.Tensor[[N, 64], pl.FP32]`.
- Functions of programs get the types of parameters without annotation from their calls, and their return types from
  their bodies: mypy's strict mode must not ask for them.
- A class decorated with pl.program is a program, so `P.as_python()` and `P.kernel` are right.
"""

from __future__ import annotations

from typing import Callable

from mypy.nodes import (
    MISSING_FALLBACK,
    CallExpr,
    ClassDef,
    Decorator,
    Expression,
    FuncDef,
    IfStmt,
    Import,
    ImportFrom,
    MemberExpr,
    MypyFile,
    NameExpr,
    Statement,
    TypeInfo,
)
from mypy.plugin import AnalyzeTypeContext, ClassDefContext, Plugin
from mypy.types import AnyType, CallableType, Instance, Type, TypeOfAny

_LANGUAGE = "tilewire.language"
_TYPES = {
    *(f"{_LANGUAGE}.{name}" for name in ("Tensor", "Tile", "Scalar", "Array", "Tuple", "Out", "InOut", "TaskId", "Ptr")),
    *(f"{_LANGUAGE}.distributed.{name}" for name in ("DistributedTensor", "CommCtx")),
}


def _any(context: AnalyzeTypeContext) -> Type:
    return AnyType(TypeOfAny.explicit)


def _add_program_metaclass(context: ClassDefContext) -> bool:
    # mypy ignores what a class decorator returns; a metaclass is the one place it looks for attributes of P.
    symbol = context.api.lookup_fully_qualified_or_none("tilewire.language._ProgramClass")
    if symbol is None or not isinstance(symbol.node, TypeInfo):
        return False
    context.cls.info.metaclass_type = Instance(symbol.node, [])
    return True


class _Annotations:
    """Gives functions of programs the annotations they lack."""

    def __init__(self, file: MypyFile):
        self._names: set[str] = set()  # of the language, or of its decorators
        for item in file.imports:
            if isinstance(item, Import):
                self._names |= {alias or name for name, alias in item.ids if name == _LANGUAGE}
            elif isinstance(item, ImportFrom) and item.id in ("tilewire", _LANGUAGE):
                self._names |= {alias or name for name, alias in item.names if name in ("language", "jit", "function")}

    def add(self, statements: list[Statement]) -> None:
        if not self._names:
            return
        for statement in statements:
            if isinstance(statement, Decorator):
                if any(self._is_ours(decorator) for decorator in statement.original_decorators):
                    _annotate(statement.func)
                self.add(statement.func.body.body)
            elif isinstance(statement, FuncDef):
                self.add(statement.body.body)
            elif isinstance(statement, ClassDef):
                self.add(statement.defs.body)
            elif isinstance(statement, IfStmt):
                for block in [*statement.body, *([statement.else_body] if statement.else_body else [])]:
                    self.add(block.body)

    def _is_ours(self, decorator: Expression) -> bool:
        path: list[str] = []
        while not isinstance(decorator, NameExpr):
            if isinstance(decorator, CallExpr):
                decorator = decorator.callee
            elif isinstance(decorator, MemberExpr):
                path.append(decorator.name)
                decorator = decorator.expr
            else:
                return False
        path.append(decorator.name)
        dotted = ".".join(reversed(path))
        return any(dotted == name or dotted.startswith(name + ".") for name in self._names)


def _annotate(function: FuncDef) -> None:
    def known(type: Type) -> Type:
        unknown = isinstance(type, AnyType) and type.type_of_any == TypeOfAny.unannotated
        return AnyType(TypeOfAny.explicit) if unknown else type

    given = function.unanalyzed_type
    if not isinstance(given, CallableType):  # it has no annotation at all
        unknown: list[Type] = [AnyType(TypeOfAny.unannotated) for _ in function.arg_names]
        fallback = Instance(MISSING_FALLBACK, [], -1)  # as mypy's own parser makes it
        given = CallableType(unknown, function.arg_kinds, function.arg_names, AnyType(TypeOfAny.unannotated), fallback)
    made = given.copy_modified(arg_types=[known(t) for t in given.arg_types], ret_type=known(given.ret_type))
    made.definition = function
    function.type = function.unanalyzed_type = made


class TilewirePlugin(Plugin):
    def get_type_analyze_hook(self, fullname: str) -> Callable[[AnalyzeTypeContext], Type] | None:
        return _any if fullname in _TYPES else None

    def get_class_decorator_hook_2(self, fullname: str) -> Callable[[ClassDefContext], bool] | None:
        return _add_program_metaclass if fullname == "tilewire.language.program" else None

    def get_additional_deps(self, file: MypyFile) -> list[tuple[int, str, int]]:
        _Annotations(file).add(file.defs)
        return []


def plugin(version: str) -> type[Plugin]:
    return TilewirePlugin
