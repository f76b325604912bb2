"""What the text of a PTO module is parsed into: types, attribute values, ops, blocks and functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Optional, Union

Dim = Optional[int]

ELEMENT_BYTES = {
    "i1": 0, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "ui8": 1, "ui16": 2, "ui32": 4, "f16": 2, "bf16": 2, "f32": 4,
}
SPACES = ("vec", "mat", "left", "right", "acc", "bias", "scaling")


@dataclass(frozen=True)
class Scalar:
    name: str

    def __str__(self) -> str:
        return self.name


INDEX, I1, I32, I64 = Scalar("index"), Scalar("i1"), Scalar("i32"), Scalar("i64")


def shape_text(dims: tuple[Dim, ...]) -> str:
    return "x".join("?" if dim is None else str(dim) for dim in dims)


@dataclass(frozen=True)
class Ptr:
    element: str

    def __str__(self) -> str:
        return f"!pto.ptr<{self.element}>"


@dataclass(frozen=True)
class View:
    dims: tuple[Dim, ...]
    element: str

    def __str__(self) -> str:
        return f"!pto.tensor_view<{shape_text(self.dims)}x{self.element}>"


@dataclass(frozen=True)
class Part:
    dims: tuple[Dim, ...]
    element: str

    def __str__(self) -> str:
        return f"!pto.partition_tensor_view<{shape_text(self.dims)}x{self.element}>"


@dataclass(frozen=True)
class LocalArray:
    dims: tuple[Dim, ...]
    element: str

    def __str__(self) -> str:
        return f"!pto.local_array<{shape_text(self.dims)}x{self.element}>"


@dataclass(frozen=True)
class Vector:
    dims: tuple[Dim, ...]
    element: str

    def __str__(self) -> str:
        return f"vector<{shape_text(self.dims)}x{self.element}>"


@dataclass(frozen=True)
class Tile:
    space: str
    rows: int
    cols: int
    element: str
    valid: tuple[Dim, Dim]
    blayout: str = "row_major"
    slayout: str = "none_box"
    fractal: int = 512
    pad: int = 0

    @property
    def bytes(self) -> int:
        return self.rows * self.cols * ELEMENT_BYTES.get(self.element, 0)

    def __str__(self) -> str:
        text = f"!pto.tile_buf<{self.space}, {self.rows}x{self.cols}x{self.element}"
        if self.valid != (self.rows, self.cols):
            text += f", valid={shape_text(self.valid)}"
        boxed = self.slayout != "none_box"
        if boxed or self.blayout != "row_major":
            text += f", blayout={self.blayout}"
        if boxed:
            text += f", slayout={self.slayout}"
        if self.fractal != 512:
            text += f", fractal={self.fractal}"
        if self.pad:
            text += f", pad={self.pad}"
        return text + ">"


Type = Union[Scalar, Ptr, View, Part, LocalArray, Vector, Tile]


@dataclass(frozen=True)
class Enum:
    """`#pto.KIND<VALUE>` (dotted) or `#pto<KIND VALUE>`."""

    kind: str
    value: str
    dotted: bool

    def __str__(self) -> str:
        return f"#pto.{self.kind}<{self.value}>" if self.dotted else f"#pto<{self.kind} {self.value}>"


@dataclass(frozen=True)
class Symbol:
    name: str


@dataclass(frozen=True)
class Unit:
    """The value of an attribute that is only a name."""


UNIT = Unit()
Value = Union[int, float, bool, str, Enum, Symbol, Unit, "tuple[Value, ...]"]


@dataclass(frozen=True)
class Operand:
    name: str
    type: Type | None
    line: int
    column: int


@dataclass
class Block:
    arguments: list[tuple[str, Type]] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)


@dataclass(eq=False)
class Op:
    name: str
    line: int
    column: int
    results: tuple[str, ...] = ()
    result_types: tuple[Type, ...] = ()
    operands: list[Operand] = field(default_factory=list)
    groups: dict[str, tuple[Operand, ...]] = field(default_factory=dict)
    attributes: dict[str, Value] = field(default_factory=dict)
    ins_attributes: dict[str, Value] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    places: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def operand_types(self) -> list[Type | None]:
        return [operand.type for operand in self.operands]

    def group(self, role: str) -> tuple[Operand, ...]:
        """The operands of a role, none when the text has no such group."""
        return self.groups.get(role, ())


@dataclass(eq=False)
class Function:
    name: str
    parameters: list[tuple[str, Type]]
    results: tuple[Type, ...]
    attributes: dict[str, Value]
    private: bool
    body: Block | None
    line: int
    column: int


@dataclass(eq=False)
class Module:
    functions: list[Function]
    attributes: dict[str, Value]


def walk(block: Block | None) -> Iterator[Op]:
    """Every op of a block and of the blocks inside it, outer before inner, in the order of the text."""
    for op in block.ops if block else []:
        yield op
        for inner in op.blocks:
            yield from walk(inner)
