"""What the ops of a kernel compute, in NumPy: an oracle for differential tests, written from the language's rules.

A Value is the valid part of a tile: the elements as the dtype holds them, and for each a bound on how far another
right answer may be away. A bound of 0 asks for this very value. Elementwise arithmetic is exact (every op rounds
once, 16- and 8-bit floats are computed in FP32), so bounds begin at vector math, sums and products and grow from
there by interval arithmetic. Where too little is known (a comparison of uncertain numbers, a division by something
that may be 0) the bound is infinite and the element is not compared.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable

import ml_dtypes
import numpy as np

Array = Any


class Unsuitable(Exception):
    """The program does something whose result the language leaves open."""


@dataclasses.dataclass(frozen=True)
class Dtype:
    name: str
    array: Any  # the element type of NumPy arrays
    kind: str  # "f", "i", "u", "b"
    bits: int
    precision: int = 0  # of floats: bits of the significand, the hidden one included
    low: int = 0  # exponent of the smallest normal number
    largest: float = 0.0

    @property
    def is_float(self) -> bool:
        return self.kind == "f"

    def __repr__(self) -> str:
        return self.name


def _integer(name: str, array: Any) -> Dtype:
    info = np.iinfo(array)
    return Dtype(name, array, "i" if info.min < 0 else "u", info.bits)


DTYPES = {
    d.name: d
    for d in [
        Dtype("FP32", np.float32, "f", 32, 24, -126, float(np.finfo(np.float32).max)),
        Dtype("FP16", np.float16, "f", 16, 11, -14, 65504.0),
        Dtype("BF16", ml_dtypes.bfloat16, "f", 16, 8, -126, float(ml_dtypes.finfo(ml_dtypes.bfloat16).max)),
        Dtype("FP8E4M3FN", ml_dtypes.float8_e4m3fn, "f", 8, 4, -6, 448.0),
        Dtype("FP8E5M2", ml_dtypes.float8_e5m2, "f", 8, 3, -14, 57344.0),
        Dtype("BOOL", np.bool_, "b", 8),
        *(_integer(f"{sign}INT{bits}", np.dtype(f"{sign.lower()}int{bits}").type)
          for sign in ("", "U") for bits in (8, 16, 32, 64)),
    ]
}  # fmt: skip
FP32, FP16, BF16, BOOL = (DTYPES[name] for name in ("FP32", "FP16", "BF16", "BOOL"))
INT8, INT32 = DTYPES["INT8"], DTYPES["INT32"]

UNIT = 2.0**-24  # half a last place of FP32, relative


# Rounding.

ROUND: dict[str, Callable[[Array], Array]] = {
    "rint": np.rint,
    "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    # Of two neighbours the one whose last bit is set.
    "odd": lambda x: np.where(x == np.trunc(x), x, np.copysign(2 * np.floor(np.abs(x) / 2) + 1, x)),
}


def last_place(dtype: Dtype, x: Array) -> Array:
    """The distance between neighbours of the dtype around x."""
    exponent = np.frexp(np.where(np.isfinite(x), x, 1.0))[1]
    return np.ldexp(1.0, np.maximum(exponent, dtype.low + 1) - dtype.precision)


def round_to(dtype: Dtype, x: Array, mode: str = "rint") -> Array:
    """FP64 numbers as the float dtype holds them, rounded once; still FP64."""
    x = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        place = last_place(dtype, x)
        # `x / place` is exact: place is a power of two. NaN and infinities pass through.
        rounded = ROUND[mode](x / place) * place
        rounded = np.where(np.isfinite(x), np.copysign(rounded, x), x)
        too_large = np.abs(rounded) > dtype.largest
        stops = {"trunc": too_large, "odd": too_large, "floor": x > 0, "ceil": x < 0}.get(mode, False)
        limit = np.where(stops & np.isfinite(x), dtype.largest, np.inf)
        rounded = np.where(too_large, np.copysign(limit, x), rounded)
        if dtype.name == "FP8E4M3FN":
            rounded = np.where(np.isinf(rounded), np.nan, rounded)
        return rounded


def wrap(dtype: Dtype, x: Array) -> Array:
    """Integers of any width, kept as the low bits."""
    return np.asarray(x).astype(dtype.array)


# Values.


@dataclasses.dataclass
class Value:
    """`v`: floats as FP64, integers and bools in their own element type. `e`: the bound of each, FP64."""

    dtype: Dtype
    shape: tuple[int, int]  # of the tile; v and e have the shape of its valid part
    v: Array
    e: Array

    @staticmethod
    def exact(dtype: Dtype, v: Array, shape: tuple[int, int] | None = None) -> Value:
        v = np.asarray(v).astype(np.float64 if dtype.is_float else dtype.array)
        return Value(dtype, shape or v.shape, v, np.zeros(v.shape))

    @property
    def full(self) -> bool:
        return self.v.shape == self.shape

    def map(self, function: Callable[[Array], Array], shape: tuple[int, int] | None = None) -> Value:
        """Elements moved about, with their bounds."""
        v = function(self.v)
        return Value(self.dtype, shape or v.shape, v, function(self.e))

    def array(self) -> Array:
        with np.errstate(all="ignore"):
            return self.v.astype(self.dtype.array)

    def low(self) -> Array:
        with np.errstate(invalid="ignore"):  # infinities
            return self.v.astype(np.float64) - self.e

    def high(self) -> Array:
        with np.errstate(invalid="ignore"):
            return self.v.astype(np.float64) + self.e


def settle(dtype: Dtype, shape: tuple[int, int], v: Array, e: Array, uncertain: Array) -> Value:
    """A result: bounds where `uncertain`, infinite where they leave the dtype's range or are no numbers."""
    e = np.where(uncertain, e, 0.0)
    wide = v.astype(np.float64)
    if dtype.is_float:
        lost = ~(np.abs(wide) + e < dtype.largest)
    elif dtype.kind == "b":
        lost = np.zeros(e.shape, bool)
    else:
        info = np.iinfo(dtype.array)
        lost = ~((wide - e > float(info.min)) & (wide + e < float(info.max)))
    return Value(dtype, shape, v, np.where(uncertain & lost, np.inf, e))


def common(*values: Value) -> list[Value]:
    """Cut to the extents they share."""
    rows = min(x.v.shape[0] for x in values)
    cols = min(x.v.shape[1] for x in values)
    return [x.map(lambda a: a[:rows, :cols], x.shape) for x in values]


def _corners(function: Callable[..., Array], *values: Value) -> tuple[Array, Array]:
    """The least and the greatest result over the corners of the operands' intervals."""
    results = []
    with np.errstate(all="ignore"):
        for choice in range(2 ** len(values)):
            ends = [x.high() if choice >> i & 1 else x.low() for i, x in enumerate(values)]
            results.append(np.asarray(function(*ends), np.float64))
    low, high = results[0], results[0]
    for r in results[1:]:
        low, high = np.minimum(low, r), np.maximum(high, r)
    return low, high


def _bound(dtype: Dtype, v: Array, low: Array, high: Array, places: float) -> Array:
    with np.errstate(all="ignore"):
        wide = v.astype(np.float64)
        e = np.maximum(high - wide, wide - low)
        if dtype.is_float:
            e = e + places * last_place(dtype, np.maximum(np.abs(low), np.abs(high)))
        return np.where(np.isnan(e), np.inf, e)


# Elementwise ops.


def _divide(a: Array, b: Array) -> Array:
    """Towards zero; 0 for a zero divisor; the most negative number over -1 wraps."""
    zero = b == 0
    b = np.where(zero, 1, b).astype(a.dtype)
    quotient = a // b
    inexact = (quotient * b != a) & ((a < 0) != (b < 0))
    quotient = np.where(b == a.dtype.type(-1), np.negative(a), quotient + inexact) if a.dtype.kind == "i" else quotient
    return np.where(zero, 0, quotient).astype(a.dtype)


def _remainder(a: Array, b: Array) -> Array:
    return np.where(b == 0, 0, a - _divide(a, b) * b).astype(a.dtype)


def _larger(a: Array, b: Array) -> Array:
    """Of equal ones the first: 0 and -0 are equal. NaN if either is."""
    return np.where((a >= b) | np.isnan(a), a, b)


def _smaller(a: Array, b: Array) -> Array:
    return np.where((a <= b) | np.isnan(a), a, b)


FLOAT_BINARY: dict[str, Callable[..., Array]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "rem": np.fmod,
    "maximum": _larger, "minimum": _smaller,
}  # fmt: skip
INTEGER_BINARY: dict[str, Callable[..., Array]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": _divide, "rem": _remainder,
    "maximum": np.maximum, "minimum": np.minimum, "and_": np.bitwise_and, "or_": np.bitwise_or,
    "xor": np.bitwise_xor, "shl": np.left_shift, "shr": np.right_shift,
}  # fmt: skip


def binary(op: str, a: Value, b: Value) -> Value:
    """Operands of equal extents, or one of a single row or column that is repeated."""
    shape = tuple(np.maximum(a.shape, b.shape))
    uncertain = (a.e > 0) | (b.e > 0)
    with np.errstate(all="ignore"):
        if a.dtype.is_float:
            v = FLOAT_BINARY[op](a.v.astype(np.float32), b.v.astype(np.float32))
            v = round_to(a.dtype, v.astype(np.float64))
        else:
            v = INTEGER_BINARY[op](a.v, b.v)
    e = np.full(v.shape, np.inf)
    if op in FLOAT_BINARY and op != "rem" and (a.dtype.is_float or op != "div"):
        low, high = _corners(FLOAT_BINARY[op], a, b)
        e = _bound(a.dtype, v, low, high, 2.0)
        if op == "div":
            e = np.where((b.low() <= 0) & (b.high() >= 0), np.inf, e)
        elif op in ("add", "sub", "mul"):
            # Outside the range an integer wraps, and corners say nothing about that.
            e = np.where(np.isfinite(a.e) & np.isfinite(b.e), e, np.inf)
    return settle(a.dtype, shape, v, e, uncertain)


def _sigmoid(x: Array) -> Array:
    return 1.0 / (1.0 + np.exp(-x))


def _rsqrt(x: Array) -> Array:
    return 1.0 / np.sqrt(x)


MATH: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp, "log": np.log, "rsqrt": _rsqrt, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "sigmoid": _sigmoid,
}  # fmt: skip


def math(op: str, a: Value) -> Value:
    """Within 2 last places of FP32, then rounded to the dtype."""
    with np.errstate(all="ignore"):
        true = MATH[op](a.v)
        v = round_to(a.dtype, true)
        if op in ("sin", "cos"):
            low, high = true - a.e, true + a.e  # no steeper than 1
        else:
            low, high = _corners(MATH[op], a)
            if op in ("log", "rsqrt"):
                bad = (a.e > 0) & (a.low() <= 0)
                low, high = np.where(bad, -np.inf, low), np.where(bad, np.inf, high)
        e = _bound(a.dtype, v, low, high, 3.0 if a.dtype is FP32 else 1.0)
        if a.dtype is not FP32:
            e = e + 3.0 * last_place(FP32, v)
        # What is not a number, infinite, or 0 as a limit is so for everyone.
        certain = (a.e == 0) & (np.isnan(v) | np.isinf(true) | (np.isinf(a.v)))
        near_limit = (a.e == 0) & ~certain & ~(np.abs(true) * (1 + 2.0 ** (1 - a.dtype.precision)) < a.dtype.largest)
        e = np.where(near_limit, np.inf, e)
    return settle(a.dtype, a.shape, v, e, ~certain)


def unary(op: str, a: Value) -> Value:
    with np.errstate(all="ignore"):
        if op in MATH:
            return math(op, a)
        if op == "not_":
            return settle(a.dtype, a.shape, ~a.v, np.where(a.dtype.kind == "b", a.e, np.inf), a.e > 0)
        if op in ("recip", "sqrt"):
            narrow = a.v.astype(np.float32)
            v = np.divide(np.float32(1), narrow) if op == "recip" else np.sqrt(narrow)
            v = round_to(a.dtype, v.astype(np.float64))
            low, high = _corners(np.sqrt if op == "sqrt" else np.reciprocal, a)
            bad = (a.low() <= 0) & ((op == "sqrt") | (a.high() >= 0))
            e = np.where(bad, np.inf, _bound(a.dtype, v, low, high, 2.0))
            return settle(a.dtype, a.shape, v, e, a.e > 0)
        function = {"neg": np.negative, "abs": np.abs, "relu": lambda x: np.where(x < 0, x.dtype.type(0), x)}[op]
        return settle(a.dtype, a.shape, function(a.v), a.e, a.e > 0)


COMPARE = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
           "ge": np.greater_equal}  # fmt: skip


def compare(op: str, a: Value, b: Value) -> Value:
    with np.errstate(all="ignore"):
        v = COMPARE[op](a.v, b.v)
        uncertain = ((a.e > 0) | (b.e > 0)) & ~((a.low() > b.high()) | (a.high() < b.low()))
    return Value(BOOL, a.shape, v, np.where(uncertain, 1.0, 0.0))


def select(mask: Value, a: Value, b: Value) -> Value:
    v = np.where(mask.v, a.v, b.v)
    e = np.where(mask.v, a.e, b.e)
    with np.errstate(all="ignore"):
        other = np.where(mask.v, b.v, a.v).astype(np.float64)
        either = np.abs(other - v.astype(np.float64)) + a.e + b.e
        either = np.where(np.isnan(either), np.inf, either)
    uncertain = mask.e > 0
    return settle(a.dtype, mask.shape, v, np.where(uncertain, either, e), uncertain | (e > 0))


def _to_integer(dtype: Dtype, x: Array, mode: str) -> Array:
    """Rounded and saturated, as FP64; 0 for NaN."""
    info = np.iinfo(dtype.array)
    with np.errstate(all="ignore"):
        x = ROUND[mode](np.where(np.isnan(x), 0.0, x))
        return np.clip(x, float(info.min), float(info.max))


def cast(a: Value, dtype: Dtype, mode: str = "rint") -> Value:
    uncertain = a.e > 0
    if dtype.kind == "b":
        zero = (a.low() <= 0) & (a.high() >= 0)
        return Value(BOOL, a.shape, a.v != 0, np.where(uncertain & zero, 1.0, 0.0))
    if a.dtype.is_float and not dtype.is_float:
        wide = _to_integer(dtype, a.v, mode)
        info = np.iinfo(dtype.array)
        top = wide >= float(info.max)  # not exact in FP64 for 64 bits
        v = np.where(top, info.max, np.where(top, 0, wide).astype(dtype.array)).astype(dtype.array)
        low, high = (_to_integer(dtype, end, mode) for end in (a.low(), a.high()))
        return settle(dtype, a.shape, v, np.where(np.isnan(a.v), np.inf, _bound(dtype, v, low, high, 0)), uncertain)
    if not dtype.is_float:
        return settle(dtype, a.shape, wrap(dtype, a.v), np.where(a.dtype.kind == "b", 1.0, a.e), uncertain)
    if not a.dtype.is_float and a.dtype.bits == 64 and np.any(np.abs(a.v.astype(np.float64)) >= 2.0**53):
        raise Unsuitable("an integer that FP64 does not hold")
    v = round_to(dtype, a.v.astype(np.float64), mode)
    low, high = (round_to(dtype, end, mode) for end in (a.low(), a.high()))
    return settle(dtype, a.shape, v, _bound(dtype, v, low, high, 0.0), uncertain)


# Reductions and products.


def _finite(x: Array) -> Array:
    """Magnitudes; 0 for what has none."""
    return np.where(np.isfinite(x), np.abs(x), 0.0)


def row_sum(a: Value) -> Value:
    shape = (a.shape[0], 1)
    if not a.dtype.is_float:
        with np.errstate(all="ignore"):
            v = np.add.reduce(a.v, axis=1, keepdims=True, dtype=a.dtype.array)
        e = np.sum(a.e, axis=1, keepdims=True)
        # Wrapped on the way or not, the sum is the same; with bounds only what stays in range is known.
        total = np.abs(a.v.astype(np.float64)).sum(axis=1, keepdims=True) + e
        e = np.where(total < float(np.iinfo(a.dtype.array).max), e, np.inf)
        return settle(a.dtype, shape, v, e, e > 0)
    with np.errstate(all="ignore"):
        total = np.sum(a.v, axis=1, keepdims=True)
        size = np.sum(_finite(a.v), axis=1, keepdims=True)
        v = round_to(a.dtype, total)
        n = a.v.shape[1]
        e = n * UNIT * size + np.sum(a.e, axis=1, keepdims=True)
        e = e + last_place(a.dtype, np.abs(v) + e)
        # A sum of the order of the largest number may overflow on the way, to an infinity of either sign.
        overflow = size > FP32.largest / 4
        e = np.where(overflow, np.inf, e)
    special = ~np.isfinite(total) & np.all(a.e == 0, axis=1, keepdims=True) & ~overflow
    uncertain = ~special & ((n > 1) | (a.e.sum(axis=1, keepdims=True) > 0))
    return settle(a.dtype, shape, v, e, uncertain)


def row_prod(a: Value) -> Value:
    """Of integers: wrapped on the way or not, the product is the same."""
    with np.errstate(all="ignore"):
        v = np.multiply.reduce(a.v, axis=1, keepdims=True, dtype=a.dtype.array)
    e = np.where(np.any(a.e > 0, axis=1, keepdims=True), np.inf, 0.0)
    return Value(a.dtype, (a.shape[0], 1), v, e)


def cumsum(a: Value) -> Value:
    """Of integers, along rows; an uncertain element makes what follows it so."""
    with np.errstate(all="ignore"):
        v = np.add.accumulate(a.v, axis=1, dtype=a.dtype.array)
    e = np.where(np.maximum.accumulate(a.e, axis=1) > 0, np.inf, 0.0)
    return Value(a.dtype, a.shape, v, e)


def clamp(x: Value, lo: Value, hi: Value) -> Value:
    return binary("minimum", binary("maximum", x, lo), hi)


def leaky(x: Value, slope: Value) -> Value:
    zero = Value.exact(x.dtype, np.zeros((1, 1)))
    return select(compare("ge", x, zero), x, binary("mul", x, slope))


def row_extreme(op: str, a: Value) -> Value:
    function = {"max": np.max, "min": np.min}[op]
    v = function(a.v, axis=1, keepdims=True)
    e = np.max(a.e, axis=1, keepdims=True)
    if a.dtype.is_float:
        # Which of 0 and -0 comes out depends on the order.
        signs = np.where(a.v == 0, np.copysign(1.0, a.v), 0.0)
        both = (signs.min(axis=1, keepdims=True) < 0) & (signs.max(axis=1, keepdims=True) > 0)
        e = np.where((v == 0) & both, np.maximum(e, 2.0**-149), e)
    return settle(a.dtype, (a.shape[0], 1), v, e, e > 0)


def row_arg(op: str, a: Value) -> Value:
    function = {"max": np.argmax, "min": np.argmin}[op]
    v = function(a.v, axis=1, keepdims=True).astype(np.int32)
    e = np.where(np.any(a.e > 0, axis=1, keepdims=True), np.inf, 0.0)
    return Value(INT32, (a.shape[0], 1), v, e)


def transpose(a: Value) -> Value:
    return a.map(np.transpose, (a.shape[1], a.shape[0]))


def _denormal(a: Value) -> Array:
    """Magnitudes of the denormal elements, 0 for others."""
    size = np.abs(a.v)
    return np.where(size < 2.0**a.dtype.low, size, 0.0)


def matmul(a: Value, b: Value, out: Dtype | None = None, start: Value | None = None) -> Value:
    """`start`: what the products are added to, an accumulator or a row."""
    if a.v.shape[1] != b.v.shape[0]:
        raise Unsuitable("the extents of K differ")
    shape = (a.shape[0], b.shape[1])
    if a.dtype is INT8:
        if np.any(a.e > 0) or np.any(b.e > 0):
            raise Unsuitable("bounds in an integer product")
        v = a.v.astype(np.int64) @ b.v.astype(np.int64)
        value = Value.exact(INT32, wrap(INT32, v), shape)
        return value if start is None else binary("add", *_fit(value, start))
    with np.errstate(all="ignore"):
        total = a.v @ b.v
        size = _finite(a.v) @ _finite(b.v)
        e = a.e @ np.abs(b.v) + np.abs(a.v) @ b.e + a.e @ b.e
        if start is not None:
            product, first = _fit(Value(FP32, shape, total, e), start)
            size = size[: product.v.shape[0], : product.v.shape[1]] + _finite(first.v)
            total, e = product.v + first.v, product.e + first.e
        out = out or FP32
        v = round_to(out, total)
        k = a.v.shape[1] + 2
        e = e + k * 2 * UNIT * size
        overflow = size > FP32.largest / 4
        if a.dtype is BF16:
            # Dot instructions for BF16 take denormal numbers for 0.
            for x, y in ((_denormal(a), np.abs(b.v)), (np.abs(a.v), _denormal(b))):
                lost = x @ y
                lost = lost[: e.shape[0], : e.shape[1]]
                e = e + np.where(np.isnan(lost), np.inf, lost)
                overflow |= ~np.isfinite(lost) & (_finite(x) @ np.isinf(y) + np.isinf(x) @ _finite(y) > 0)[
                    : e.shape[0], : e.shape[1]]  # fmt: skip
        e = e + last_place(out, np.abs(v) + e) * (1.0 if out is FP32 else 2.0)
        e = np.where(overflow | np.isnan(e), np.inf, e)
        operands = [a, b] if start is None else [a, b, start]
        exact = all(np.max(x.e, initial=0) == 0 for x in operands)
        special = ~np.isfinite(total) & ~overflow & exact
    return settle(out, shape, v, e, ~special)


def _fit(value: Value, start: Value) -> list[Value]:
    if start.shape[0] == value.shape[0]:
        return common(value, start)
    cols = min(value.v.shape[1], start.v.shape[1])
    return [value.map(lambda x: x[:, :cols], value.shape), start.map(lambda x: x[:, :cols], start.shape)]
