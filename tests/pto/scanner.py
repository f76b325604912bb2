"""What the text of a PTO module is made of: marks, words and numbers, types, attributes, operands."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable
from typing import NoReturn, TypeVar

from model import (
    ELEMENT_BYTES, INDEX, SPACES, UNIT, Dim, Enum, LocalArray, Op, Operand, Part, Ptr, Scalar, Symbol, Tile, Type, Value,
    Vector, View,
)


class SyntaxFault(Exception):
    """Text that is no PTO module. `code` names the kind of fault."""

    def __init__(self, line: int, column: int, code: str, message: str):
        super().__init__(f"{line}:{column}: {message}")
        self.line, self.column, self.code, self.message = line, column, code, message


# Deeper nesting than any program has; Python's own stack must not be what ends a hostile text.
DEPTH = 40

SPACE = re.compile(r"(?:[ \t\r\n]+|//[^\n]*)*")
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*(?:\.[A-Za-z_][A-Za-z0-9_$]*)*")
VALUE = re.compile(r"%(?:[A-Za-z_$.-][A-Za-z0-9_$.-]*|[0-9]+)(?:#[0-9]+)?")
SYMBOL = re.compile(r"@([A-Za-z_][A-Za-z0-9_$.]*)")
LABEL = re.compile(r"\^[A-Za-z0-9_$.-]+")
FLOAT = re.compile(r"-?[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?")
HEX = re.compile(r"-?0x[0-9a-fA-F]+")
INT = re.compile(r"-?[0-9]+")
STRING = re.compile(r'"((?:[^"\\\n]|\\[nt"\\])*)"')
DIM = re.compile(r"(?:[0-9]+|\?)x")
PAIR = re.compile(r"([0-9]+|\?)x([0-9]+|\?)(?![0-9A-Za-z_?])")
ESCAPED = re.compile(r"\\.")
ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\\\": "\\"}


def count_text(count: int, noun: str, plural: str = "s") -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}{plural}"


Item = TypeVar("Item")


class Scanner:
    """Reads a text from the front. `take` and `accept` move on only when what they look for stands there."""

    def __init__(self, text: str):
        self.text = text
        self.at = 0
        self.depth = 0
        self.lines = [0] + [match.end() for match in re.finditer("\n", text)]
        self.skip()

    # -- scanning -----------------------------------------------------------------------------------------------------

    def place(self, at: int | None = None) -> tuple[int, int]:
        position = self.at if at is None else at
        line = bisect.bisect_right(self.lines, position)
        return line, position - self.lines[line - 1] + 1

    def fault(self, message: str, code: str = "syntax", at: int | None = None) -> NoReturn:
        raise SyntaxFault(*self.place(at), code, message)

    def found(self) -> str:
        """What stands here, for a message."""
        if self.at >= len(self.text):
            return "the end of the text"
        match = re.compile(r"[^\s,(){}\[\]<>:=]+|.").match(self.text, self.at)
        word = match.group() if match else self.text[self.at]
        return f"`{word[:40]}`" if word.isprintable() else f"character {ord(word[0])}"

    def skip(self) -> None:
        match = SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.at)
        if match:
            self.at = match.end()
            self.skip()
        return match

    def peek(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def accept(self, text: str) -> bool:
        """Takes a punctuation mark."""
        if not self.peek(text):
            return False
        self.at += len(text)
        self.skip()
        return True

    def expect(self, text: str) -> None:
        if not self.accept(text):
            self.fault(f"expected `{text}`, found {self.found()}")

    def accept_word(self, word: str) -> bool:
        match = WORD.match(self.text, self.at)
        if not match or match.group() != word:
            return False
        self.at = match.end()
        self.skip()
        return True

    def expect_word(self, word: str) -> None:
        if not self.accept_word(word):
            self.fault(f"expected `{word}`, found {self.found()}")

    def word(self, what: str) -> str:
        match = self.take(WORD)
        return match.group() if match else self.fault(f"expected {what}, found {self.found()}")

    def integer(self) -> int:
        match = self.take(INT)
        if not match:
            self.fault(f"expected an integer, found {self.found()}")
        if len(match.group()) > 40:
            self.fault("an integer of more than 40 digits")
        return int(match.group())

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEPTH:
            self.fault(f"nested more than {DEPTH} deep")

    def string(self) -> str | None:
        """A text in quotes, taken if it is there."""
        match = self.take(STRING)
        return ESCAPED.sub(lambda escape: ESCAPES[escape.group()], match.group(1)) if match else None

    def list_of(self, item: Callable[[], Item], close: str) -> list[Item]:
        """Items between commas up to `close`, which is taken too."""
        items: list[Item] = []
        if self.accept(close):
            return items
        while True:
            items.append(item())
            if self.accept(close):
                return items
            if not self.accept(","):
                self.fault(f"expected `,` or `{close}`, found {self.found()}")

    # -- types --------------------------------------------------------------------------------------------------------

    def element(self) -> str:
        return self.word("an element type")

    def shaped(self) -> tuple[tuple[Dim, ...], str]:
        """`16x?xf32`"""
        dims: list[Dim] = []
        while match := DIM.match(self.text, self.at):
            if len(match.group()) > 20:
                self.fault("a dimension of more than 19 digits")
            dims.append(None if match.group() == "?x" else int(match.group()[:-1]))
            self.at = match.end()
        if not dims:
            self.fault(f"expected dimensions such as 16x64xf32, found {self.found()}")
        return tuple(dims), self.element()

    def type(self) -> Type:
        start = self.at
        if self.accept("!"):
            name = self.word("a type name")
            if name not in ("pto.ptr", "pto.tensor_view", "pto.partition_tensor_view", "pto.local_array", "pto.tile_buf"):
                self.fault(f"unknown type `!{name}`", "unknown-type", start)
            self.expect("<")
            result: Type
            if name == "pto.ptr":
                result = Ptr(self.element())
                if self.accept(","):
                    self.expect_word("gm")
            elif name == "pto.tile_buf":
                result = self.tile()
            else:
                dims, element = self.shaped()
                if name == "pto.tensor_view":
                    result = View(dims, element)
                elif name == "pto.partition_tensor_view":
                    result = Part(dims, element)
                else:
                    result = LocalArray(dims, element)
            self.expect(">")
            return result
        name = self.word("a type")
        if name == "vector":
            self.expect("<")
            vector = Vector(*self.shaped())
            self.expect(">")
            return vector
        if name not in ELEMENT_BYTES and name != "index":
            self.fault(f"unknown type `{name}`", "unknown-type", start)
        return Scalar(name)

    def tile(self) -> Tile:
        start = self.at
        space = self.word("a space of tiles")
        if space not in SPACES:
            self.fault(f"unknown space `{space}` of a tile, expected one of {', '.join(SPACES)}", "tile-space", start)
        self.expect(",")
        start = self.at
        dims, element = self.shaped()
        if len(dims) != 2:
            self.fault(f"a tile has exactly two dims, {len(dims)} found", "tile-rank", start)
        rows, cols = dims
        if rows is None or cols is None:
            self.fault("tile dims must be static", "tile-static", start)
        keys: dict[str, object] = {}
        while self.accept(","):
            start = self.at
            key = self.word("a key such as valid")
            if key not in ("valid", "blayout", "slayout", "fractal", "pad"):
                self.fault(f"unknown key `{key}` of a tile, expected valid, blayout, slayout, fractal or pad", "tile-key",
                           start)
            if key in keys:
                self.fault(f"key `{key}` of a tile is given twice", "tile-key-twice", start)
            self.expect("=")
            start = self.at
            if key == "valid":
                pair = self.take(PAIR)
                if not pair or len(pair.group()) > 40:
                    self.fault(f"expected a valid extent such as 8x?, found {self.found()}", at=start)
                keys[key] = tuple(None if dim == "?" else int(dim) for dim in pair.groups())
            elif key in ("fractal", "pad"):
                keys[key] = self.integer()
            else:
                keys[key] = self.word("a layout")
                allowed = ("row_major", "col_major") + (("none_box",) if key == "slayout" else ())
                if keys[key] not in allowed:
                    self.fault(f"unknown {key} `{keys[key]}`, expected one of {', '.join(allowed)}", "tile-layout", start)
        return Tile(space, rows, cols, element, keys.pop("valid", (rows, cols)), **keys)  # type: ignore[arg-type]

    def types(self) -> list[Type]:
        result = [self.type()]
        while self.accept(","):
            result.append(self.type())
        return result

    def results_of(self) -> tuple[Type, ...]:
        """`i32`, `(i32, i32)` or `()` after an arrow."""
        if self.accept("("):
            return tuple(self.list_of(self.type, ")"))
        return (self.type(),)

    # -- attributes ---------------------------------------------------------------------------------------------------

    def enum(self) -> Enum:
        start = self.at
        self.expect("#")
        dialect = self.word("`pto`")
        dotted = dialect != "pto"
        if dotted and not re.fullmatch(r"pto\.[a-z0-9_]+", dialect):
            self.fault(f"unknown attribute `#{dialect}`", "unknown-attribute", start)
        self.expect("<")
        kind = dialect[4:] if dotted else self.word("the kind of the attribute")
        value = self.word("a keyword of the attribute")
        self.expect(">")
        return Enum(kind, value, dotted)

    def value(self) -> Value:
        self.deeper()
        try:
            if self.peek("#"):
                return self.enum()
            if (text := self.string()) is not None:
                return text
            if match := self.take(SYMBOL):
                return Symbol(match.group(1))
            if self.accept("["):
                return tuple(self.list_of(self.value, "]"))
            if self.accept_word("true"):
                return True
            if self.accept_word("false"):
                return False
            if self.accept_word("array"):
                self.expect("<")
                self.type()
                return tuple(self.list_of(self.value, ">")) if self.accept(":") else ()
            number: Value
            if match := self.take(FLOAT):
                number = float(match.group())
            elif INT.match(self.text, self.at):
                number = self.integer()
            else:
                self.fault(f"expected the value of an attribute, found {self.found()}")
            if self.accept(":"):
                self.type()
            return number
        finally:
            self.depth -= 1

    def attributes(self, places: dict[str, tuple[int, int]] | None = None) -> dict[str, Value]:
        """`{name = value, name}`, taken if it is there."""
        result: dict[str, Value] = {}
        if not self.accept("{"):
            return result

        def entry() -> None:
            start = self.at
            name = self.word("the name of an attribute")
            if name in result:
                self.fault(f"attribute `{name}` is given twice", "attribute-twice", start)
            if places is not None:
                places[name] = self.place(start)
            result[name] = self.value() if self.accept("=") else UNIT

        self.list_of(entry, "}")
        return result

    # -- operands -----------------------------------------------------------------------------------------------------

    def operand(self, op: Op, role: str, type_: Type | None = None) -> None:
        start = self.at
        match = self.take(VALUE)
        if not match:
            self.fault(f"expected a value such as %x, found {self.found()}")
        operand = Operand(match.group(), type_, *self.place(start))
        op.operands.append(operand)
        op.groups[role] = op.groups.get(role, ()) + (operand,)
        op.places.setdefault(role, self.place(start))

    def bracketed(self, op: Op, role: str) -> None:
        """`[%a, %b]`, index values."""
        self.expect("[")
        op.groups.setdefault(role, ())
        self.list_of(lambda: self.operand(op, role, INDEX), "]")

    def retype(self, op: Op, types: list[Type | None]) -> None:
        """Gives the operands read so far the types that the text writes after them, None to keep one."""
        if len(op.operands) != len(types):
            self.fault(f"{op.name} has {len(op.operands)} operands and {len(types)} types", "type-count")
        typed = [
            Operand(old.name, old.type if type_ is None else type_, old.line, old.column)
            for old, type_ in zip(op.operands, types)
        ]
        renewed = {id(old): new for old, new in zip(op.operands, typed)}
        op.operands = typed
        op.groups = {role: tuple(renewed[id(one)] for one in group) for role, group in op.groups.items()}
