"""Scalars: the ops of `arith`, local arrays, block numbers.

Integers are Python ints within the range of their type (i1: 0 or 1), index has 64 bits. Floats are Python floats that
the type can hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from execute_core import RULES, Core, rule
from execute_fault import Problem
from execute_tiles import NUMPY, poison_value
from model import LocalArray, Op, Scalar, Type

BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
FLOATS = ("f16", "bf16", "f32")


def name_of(type_: Type | None) -> str:
    if not isinstance(type_, Scalar):
        raise Problem("type", f"expected a scalar, found {type_}")
    return type_.name


def wrap(value: int, type_: str) -> int:
    bits = BITS[type_]
    value &= (1 << bits) - 1
    return value - (1 << bits) if bits > 1 and value >> (bits - 1) else value


def unsigned(value: int, type_: str) -> int:
    return value & ((1 << BITS[type_]) - 1)


def rounded(value: float, type_: str) -> float:
    """To the nearest number of the type, ties to even; `value` is exact, or the result of one op in twice the precision."""
    with np.errstate(all="ignore"):
        return float(NUMPY[type_](np.float32(value)) if type_ == "bf16" else NUMPY[type_](value))


def divide(a: int, b: int) -> int:
    """The quotient rounded towards zero."""
    if b == 0:
        raise Problem("division", f"division of {a} by zero")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def shift_of(amount: int, type_: str) -> int:
    if not 0 <= amount < BITS[type_]:
        raise Problem("shift", f"a shift of {type_} by {amount}")
    return amount


def floor_divide(a: int, b: int) -> int:
    if b == 0:
        raise Problem("division", f"division of {a} by zero")
    return a // b


def modulo(a: int, b: int) -> int:
    return a - divide(a, b) * b


U = unsigned
INTEGER: dict[str, Callable[[int, int, str], int]] = {
    "addi": lambda a, b, t: a + b,
    "subi": lambda a, b, t: a - b,
    "muli": lambda a, b, t: a * b,
    "divsi": lambda a, b, t: divide(a, b),
    "divui": lambda a, b, t: floor_divide(U(a, t), U(b, t)),
    "remsi": lambda a, b, t: modulo(a, b),
    "remui": lambda a, b, t: modulo(U(a, t), U(b, t)),
    "floordivsi": lambda a, b, t: floor_divide(a, b),
    "ceildivsi": lambda a, b, t: -floor_divide(-a, b),
    "minsi": lambda a, b, t: min(a, b),
    "maxsi": lambda a, b, t: max(a, b),
    "minui": lambda a, b, t: min(U(a, t), U(b, t)),
    "maxui": lambda a, b, t: max(U(a, t), U(b, t)),
    "andi": lambda a, b, t: a & b,
    "ori": lambda a, b, t: a | b,
    "xori": lambda a, b, t: a ^ b,
    "shli": lambda a, b, t: a << shift_of(b, t),
    "shrsi": lambda a, b, t: a >> shift_of(b, t),
    "shrui": lambda a, b, t: U(a, t) >> shift_of(b, t),
}


def real_divide(a: float, b: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.float64(a) / np.float64(b))


def real_rest(a: float, b: float) -> float:
    return math.fmod(a, b) if b and math.isfinite(a) and not math.isnan(b) else math.nan


def larger(a: float, b: float) -> float:
    return math.nan if math.isnan(a) or math.isnan(b) else max(a, b)


def smaller(a: float, b: float) -> float:
    return math.nan if math.isnan(a) or math.isnan(b) else min(a, b)


# Computed in double precision, which holds any of these results of two numbers of 24 bits well enough to round once.
REAL: dict[str, Callable[[float, float], float]] = {
    "subf": lambda a, b: a - b,
    "mulf": lambda a, b: a * b,
    "divf": real_divide,
    "remf": real_rest,
    "maximumf": larger,
    "minimumf": smaller,
}


def integer_op(core: Core, op: Op) -> int:
    type_ = name_of(op.result_types[0])
    if type_ not in BITS:
        raise Problem("type", f"{op.name} on {type_}")
    a, b = core.one(op, "left"), core.one(op, "right")
    return wrap(INTEGER[op.name.partition(".")[2]](a, b, type_), type_)


def real_op(core: Core, op: Op) -> float:
    type_ = name_of(op.result_types[0])
    if type_ not in FLOATS:
        raise Problem("type", f"{op.name} on {type_}")
    return rounded(REAL[op.name.partition(".")[2]](core.one(op, "left"), core.one(op, "right")), type_)


for _name in INTEGER:
    RULES["arith." + _name] = integer_op
for _name in REAL:
    RULES["arith." + _name] = real_op


def constant(core: Core, op: Op) -> Any:
    value, type_ = op.attributes["value"], op.result_types[0]
    if isinstance(value, tuple):
        return list(value)  # a vector, which an op may fill
    name = name_of(type_)
    if name not in FLOATS:
        return wrap(int(value), name)  # type: ignore[arg-type]
    number = rounded(float(value), name)  # type: ignore[arg-type]
    if not math.isfinite(number):
        raise Problem("constant", f"{value} is no finite {name}")
    return number


COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def compare_integers(core: Core, op: Op) -> int:
    a, b = core.one(op, "left"), core.one(op, "right")
    type_ = name_of(op.group("left")[0].type)
    predicate = str(op.attributes["predicate"])
    if predicate in ("eq", "ne"):
        return int(COMPARE[predicate](a, b))
    if predicate[:1] not in ("s", "u") or predicate[1:] not in COMPARE or type_ not in BITS:
        raise Problem("operands", f"there is no comparison `{predicate}` of {type_}")
    if predicate[0] == "u":
        a, b = unsigned(a, type_), unsigned(b, type_)
    elif type_ == "i1":
        a, b = -a, -b
    return int(COMPARE[predicate[1:]](a, b))


def compare_reals(core: Core, op: Op) -> int:
    a, b = core.one(op, "left"), core.one(op, "right")
    predicate = str(op.attributes["predicate"])
    unordered = math.isnan(a) or math.isnan(b)
    if predicate in ("ord", "uno"):
        return int(unordered == (predicate == "uno"))
    if predicate[:1] not in ("o", "u") or predicate[1:] not in COMPARE:
        raise Problem("operands", f"there is no comparison `{predicate}` of floats")
    if unordered:
        return int(predicate[0] == "u")
    return int(COMPARE[predicate[1:]](a, b))


def select(core: Core, op: Op) -> Any:
    left, right = core.one(op, "left"), core.one(op, "right")
    return left if core.one(op, "condition") else right


def negate(core: Core, op: Op) -> float:
    return -float(core.one(op, "operand"))


def undefined_integer(type_: str) -> int:
    """What a conversion gives whose result the type cannot hold."""
    return wrap(int.from_bytes(b"\xab" * 8, "little"), type_)


def convert(core: Core, op: Op) -> Any:
    value = core.one(op, "source")
    source, target = name_of(op.group("source")[0].type), name_of(op.result_types[0])
    kind = op.name.partition(".")[2]
    if kind in ("index_cast", "extsi", "trunci"):
        return wrap(-value if source == "i1" and kind == "extsi" else value, target)
    if kind in ("index_castui", "extui"):
        return wrap(unsigned(value, source), target)
    if kind == "sitofp":
        return rounded_integer(-value if source == "i1" else value, target)
    if kind == "uitofp":
        return rounded_integer(unsigned(value, source), target)
    if kind in ("fptosi", "fptoui"):
        if not math.isfinite(value):
            return undefined_integer(target)
        whole = int(value)
        signed = kind == "fptosi"
        fits = wrap(whole, target) == whole if signed else unsigned(whole, target) == whole
        return wrap(whole, target) if fits else undefined_integer(target)
    if kind in ("extf", "truncf"):
        return rounded(value, target)
    if kind == "bitcast":
        dtypes = {**NUMPY, "index": np.int64}
        if source not in dtypes or target not in dtypes or np.dtype(dtypes[source]).itemsize != np.dtype(dtypes[target]).itemsize:
            raise Problem("type", f"no bitcast from {source} to {target}")
        bits = np.array([value], dtypes[source]).view(dtypes[target])[0]
        return float(bits) if target in FLOATS else int(bits)
    raise Problem("unknown-op", f"{op.name} has no rule")


def rounded_integer(value: int, target: str) -> float:
    """Of up to 64 bits: first to odd in 32 bits of precision, which the second rounding to 24 or fewer does not see."""
    spare = max(0, abs(value).bit_length() - 40)
    kept = abs(value) >> spare
    if spare and abs(value) & ((1 << spare) - 1):
        kept |= 1
    exact = float(kept << spare) * (-1 if value < 0 else 1)
    if target != "bf16":
        return rounded(exact, target)
    bits = abs(value).bit_length()
    if bits <= 24:
        return rounded(exact, target)
    keep = abs(value) >> (bits - 20) | (1 if abs(value) & ((1 << (bits - 20)) - 1) else 0)
    return rounded(float(keep << (bits - 20)) * (-1 if value < 0 else 1), target)


RULES["arith.constant"] = constant
RULES["arith.cmpi"] = compare_integers
RULES["arith.cmpf"] = compare_reals
RULES["arith.select"] = select
RULES["arith.negf"] = negate
for _name in "index_cast index_castui extsi extui trunci extf truncf sitofp uitofp fptosi fptoui bitcast".split():
    RULES["arith." + _name] = convert


@rule("declare_local_array")
def declare_local_array(core: Core, op: Op) -> Any:
    type_ = op.result_types[0]
    if not isinstance(type_, LocalArray) or any(dim is None for dim in type_.dims):
        raise Problem("type", f"expected an array of static size, found {type_}")
    return np.full([dim or 0 for dim in type_.dims], None, object)


def element_of(core: Core, op: Op) -> tuple[Any, tuple[int, ...]]:
    array, index = core.one(op, "array"), tuple(core.values(op, "index"))
    if len(index) != array.ndim or any(not 0 <= k < size for k, size in zip(index, array.shape)):
        raise Problem("out-of-bounds", f"element {list(index)} of an array of shape {list(array.shape)}")
    return array, index


@rule("local_array_get")
def local_array_get(core: Core, op: Op) -> Any:
    array, index = element_of(core, op)
    if array[index] is None:
        raise Problem("never-written", f"reads element {list(index)} of {op.group('array')[0].name}, which was never written")
    return array[index]


@rule("local_array_set")
def local_array_set(core: Core, op: Op) -> None:
    array, index = element_of(core, op)
    array[index] = core.one(op, "value")


@rule("get_block_idx")
def block_index(core: Core, op: Op) -> int:
    return core.block


@rule("get_block_num")
def block_count(core: Core, op: Op) -> int:
    return core.launch.blocks


@rule("get_subblock_idx")
def subblock_index(core: Core, op: Op) -> int:
    return core.lane


@rule("get_subblock_num")
def subblock_count(core: Core, op: Op) -> int:
    return core.launch.lanes


@rule("trap")
def trap(core: Core, op: Op) -> None:
    raise Problem("trap", "the program stopped itself")


def scalar_for(value: Any, type_: Type | None, element: str) -> Any:
    """A scalar operand as an element of a tile; its type must be the tile's."""
    name = name_of(type_)
    if name != element and "u" + name != element:
        raise Problem("scalar-type", f"the scalar is {name}, the elements of the tile are {element}")
    if element in FLOATS:
        return NUMPY[element](value)
    return np.array([value], np.int64).astype(NUMPY[element])[0]


__all__ = ["poison_value", "scalar_for", "wrap", "unsigned", "rounded", "name_of"]
