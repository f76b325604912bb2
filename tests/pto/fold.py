"""What the assembler computes itself: scalar ops of constants, and ops that return one of their operands."""

from __future__ import annotations

import math
import struct
from typing import Union

from model import ELEMENT_BYTES, Op, Scalar

Constant = Union[int, float, bool]


def rounded(value: float, type_name: str) -> float:
    """`value` as the nearest number of the format; infinite when it is too large for it."""
    if math.isnan(value) or math.isinf(value):
        return value
    if type_name == "bf16":
        bits = struct.unpack("<I", struct.pack("<f", rounded(value, "f32")))[0]
        bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
        return float(struct.unpack("<f", struct.pack("<I", bits & 0xFFFFFFFF))[0])
    form = "<e" if type_name == "f16" else "<f"
    try:
        return float(struct.unpack(form, struct.pack(form, value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def wrapped(value: int, type_name: str) -> int:
    bits = 64 if type_name == "index" else 8 * ELEMENT_BYTES.get(type_name, 8)
    if type_name == "i1":
        return value & 1
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def fold(op: Op, numbers: list[int], constants: list[Constant | None]) -> tuple[Constant] | int | None:
    """(value,) when the op is a constant, the number of an operand when the op returns it, None otherwise."""
    name = op.name.partition(".")[2]
    type_ = op.result_types[0]
    if not op.name.startswith("arith.") or not isinstance(type_, Scalar):
        return numbers[0] if op.name == "pto.addptr" and constants[1] == 0 else None
    same = _identity(name, numbers, constants)
    if same is not None:
        return same
    if not constants or any(value is None for value in constants):
        return None
    values = [value for value in constants if value is not None]
    try:
        result = _computed(op, name, values, type_.name)
    except (ZeroDivisionError, OverflowError, ValueError, struct.error):
        return None
    return None if result is None else (result,)


def _identity(name: str, numbers: list[int], constants: list[Constant | None]) -> int | None:
    if name == "select":
        if numbers[1] == numbers[2]:
            return numbers[1]
        return None if constants[0] is None else numbers[1 if constants[0] else 2]
    if len(numbers) == 1:
        return None
    left, right = constants[0], constants[1]
    if name in ("addi", "ori", "xori", "subi", "shli", "shrsi", "shrui") and right == 0:
        return numbers[0]
    if name in ("addi", "ori", "xori") and left == 0:
        return numbers[1]
    if name in ("muli", "divsi", "divui", "floordivsi", "ceildivsi") and right == 1:
        return numbers[0]
    if name == "muli" and left == 1:
        return numbers[1]
    if name in ("minsi", "maxsi", "minui", "maxui", "andi", "ori", "minimumf", "maximumf") and numbers[0] == numbers[1]:
        return numbers[0]
    if name == "subf" and right is not None and right == 0 and math.copysign(1, right) > 0:
        return numbers[0]
    if name in ("mulf", "divf") and right == 1:
        return numbers[0]
    if name == "mulf" and left == 1:
        return numbers[1]
    return None


def _computed(op: Op, name: str, values: list[Constant], type_name: str) -> Constant | None:
    if type_name in ("f16", "bf16", "f32"):
        result = _float(op, name, values)
        return None if result is None else rounded(result, type_name)
    if name in ("cmpi", "cmpf"):
        return None
    result = _integer(op, name, values)
    return None if result is None else wrapped(result, type_name)


def _float(op: Op, name: str, values: list[Constant]) -> float | None:
    a = float(values[0])
    b = float(values[1]) if len(values) > 1 else 0.0
    if name == "negf":
        return -a
    if name in ("addf", "subf", "mulf"):
        return {"addf": a + b, "subf": a - b, "mulf": a * b}[name]
    if name == "divf":
        if b == 0:
            return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
        return a / b
    if name in ("maximumf", "minimumf"):
        return math.nan if math.isnan(a) or math.isnan(b) else (max(a, b) if name == "maximumf" else min(a, b))
    if name in ("extf", "truncf", "sitofp"):
        return a
    if name == "bitcast":
        source, target = op.operands[0].type, op.result_types[0]
        assert isinstance(source, Scalar) and isinstance(target, Scalar)
        width = ELEMENT_BYTES[target.name]
        bits = int(values[0]) & ((1 << 8 * width) - 1)
        if target.name == "f16":
            return float(struct.unpack("<e", struct.pack("<H", bits))[0])
        return float(struct.unpack("<f", struct.pack("<I", bits << 16 if target.name == "bf16" else bits))[0])
    return None


def _integer(op: Op, name: str, values: list[Constant]) -> int | None:
    if any(isinstance(value, float) for value in values):
        return None
    a = int(values[0])
    b = int(values[1]) if len(values) > 1 else 0
    simple = {"addi": a + b, "subi": a - b, "muli": a * b, "andi": a & b, "ori": a | b, "xori": a ^ b, "minsi": min(a, b),
              "maxsi": max(a, b), "index_cast": a, "extsi": a, "trunci": a}
    if name in simple:
        return simple[name]
    if name in ("floordivsi", "divsi", "ceildivsi", "remsi"):
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return {"floordivsi": a // b, "divsi": quotient, "ceildivsi": -(-a // b), "remsi": a - quotient * b}[name]
    if name == "shli" and 0 <= b < 64:
        return a << b
    if name == "shrsi" and 0 <= b < 64:
        return a >> b
    return None
