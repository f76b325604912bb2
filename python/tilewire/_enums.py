"""Bases of the enumerations and element types; their members come from the compiler's tables."""

from __future__ import annotations

import enum


class Enumeration(enum.IntEnum):
    """An enumeration of the language. Integer values are ABI."""

    text: str  # as a program writes it: pl.Mem.Vec

    def __repr__(self) -> str:
        return self.text

    __str__ = __repr__


class DTypeBase(enum.Enum):
    bits: int

    def get_bit(self) -> int:
        """The size of one element in bits."""
        return self.bits

    def get_byte(self) -> int:
        """The size of one element in bytes; INT4 rounds up."""
        return (self.bits + 7) // 8

    def __repr__(self) -> str:
        return f"pl.{self.name}"

    __str__ = __repr__
