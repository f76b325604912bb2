"""Elementwise ops, broadcasts, comparisons and selection, conversions: what the vector core computes on tiles."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from execute_core import Core, rule
from execute_fault import Problem
from execute_moves import check_apart
from execute_scalars import scalar_for
from execute_tiles import DATA, FLOATS, MASK, NUMPY, UNSIGNED, UNWRITTEN, TileValue, poison_value
from model import Enum, Op, Scalar, Tile

Array = Any

FLT = ("f16", "f32")
NUM = ("i16", "i32", "ui16", "ui32", "f16", "f32")
BIT = ("i8", "i16", "i32", "ui8", "ui16", "ui32")
SMALL_BIT = ("i8", "i16", "ui8", "ui16")
EXPANDED = ("i16", "i32", "ui16", "ui32", "f16", "bf16", "f32")
MOVED = ("i8", "i16", "i32", "ui8", "ui16", "ui32", "f16", "bf16", "f32")


# -- checks -----------------------------------------------------------------------------------------------------------


def operands(core: Core, op: Op) -> tuple[list[Any], TileValue]:
    """The values of ins, and the tile of outs; tiles must be in vec."""
    values, target = core.values(op, "ins"), core.one(op, "outs")
    for value in [*values, target]:
        if isinstance(value, TileValue) and value.type.space != "vec":
            raise Problem("space", f"{op.name} works in vec, {value.name} is in {value.type.space}")
    return values, target


def check_element(tile: TileValue, allowed: tuple[str, ...], op: Op) -> None:
    if tile.element not in allowed:
        raise Problem("type", f"{op.name} of {tile.element}, expected {', '.join(allowed)}")


def check_alike(tiles: list[TileValue], op: Op, columns: bool = False) -> None:
    """One element type, one valid extent, row_major; with `columns` a column vector will do."""
    first = tiles[-1]
    for tile in tiles:
        if tile.element != first.element:
            raise Problem("type", f"{tile.name} has elements {tile.element}, {first.name} {first.element}")
        if tile.extent != first.extent:
            raise Problem("extent", f"{tile.name} has the valid extent {tile.extent}, {first.name} {first.extent}")
        if tile.type.slayout != "none_box" or (tile.type.blayout != "row_major" and not (columns and tile.type.cols == 1)):
            raise Problem("layout", f"{op.name} takes row_major tiles, {tile.name} is {tile.type}")
        if tile.type.blayout != first.type.blayout:
            raise Problem("layout", f"{tile.name} is {tile.type.blayout}, {first.name} {first.type.blayout}")


def check_in_place(sources: list[TileValue], target: TileValue, op: Op, allowed: bool = True) -> None:
    """The result may replace a source element by element, or lie elsewhere."""
    for source in sources:
        if source.overlaps(target) and not (allowed and source.same_place(target)):
            raise Problem("overlap", f"{op.name}: {source.name} and {target.name} share bytes")


def use_scratch(scratch: list[Any], others: list[TileValue], op: Op) -> None:
    """What scratch held is lost; it shares nothing with the operands and the result."""
    for tile in scratch:
        if not isinstance(tile, TileValue):
            raise Problem("operands", f"the scratch of {op.name} must be a tile")
        check_apart([tile], others[0], f"scratch of {op.name}")
        for other in others[1:]:
            check_apart([tile], other, f"scratch of {op.name}")
        tile.forget()


def split(values: list[Any], count: int, op: Op, scratch: int = 0) -> tuple[list[Any], list[Any]]:
    """The first `count` operands and up to `scratch` more."""
    if not count <= len(values) <= count + scratch:
        raise Problem("operands", f"{op.name} takes {count} operands" + (" and scratch" if scratch else "") + f", {len(values)} given")
    return values[:count], values[count:]


# -- elementwise ------------------------------------------------------------------------------------------------------


def undefined_where(where: Array, values: Array, element: str) -> Array:
    kept: Array = np.where(where, poison_value(element), values)
    return kept.astype(NUMPY[element])


def fmod(a: Array, b: Array, element: str) -> Array:
    if element in FLOATS:
        return np.fmod(a, b)
    return undefined_where(b == 0, np.fmod(a, np.where(b == 0, 1, b)), element)


def remainder(a: Array, b: Array, element: str) -> Array:
    if element in FLOATS:
        return np.mod(a, b)
    return undefined_where(b == 0, np.mod(a, np.where(b == 0, 1, b)), element)


def divide(a: Array, b: Array, element: str) -> Array:
    if element in FLOATS:
        return a / b
    wide, by = a.astype(np.int64), b.astype(np.int64)
    quotient = np.abs(wide) // np.maximum(np.abs(by), 1) * np.sign(wide) * np.sign(by)
    return undefined_where(b == 0, quotient.astype(NUMPY[element]), element)


def shift(a: Array, b: Array, element: str, left: bool) -> Array:
    bits = np.dtype(NUMPY[element]).itemsize * 8
    amount = np.asarray(b).astype(np.int64)
    outside = (amount < 0) | (amount >= bits)
    wide = a.astype(np.int64)
    kept = np.where(outside, 0, amount)
    result = ((wide << kept) if left else (wide >> kept)).astype(NUMPY[element])
    return undefined_where(np.broadcast_to(outside, a.shape), result, element)


Binary = Callable[[Array, Array, str], Array]


def plain(function: Callable[[Array, Array], Array]) -> Binary:
    return lambda a, b, element: function(a, b)


BINARY: dict[str, tuple[Binary, tuple[str, ...]]] = {
    "add": (plain(operator.add), NUM),
    "sub": (plain(operator.sub), NUM),
    "mul": (plain(operator.mul), NUM),
    "div": (divide, FLT),
    "max": (plain(np.maximum), NUM),
    "min": (plain(np.minimum), NUM),
    "fmod": (fmod, NUM),
    "rem": (remainder, ("i32", "f32")),
    "and": (plain(operator.and_), BIT),
    "or": (plain(operator.or_), BIT),
    "xor": (plain(operator.xor), BIT),
    "shl": (lambda a, b, e: shift(a, b, e, True), BIT),
    "shr": (lambda a, b, e: shift(a, b, e, False), BIT),
    "pow": (plain(np.power), ("i16", "i32", "f32")),
}
# With a scalar some ops know other elements.
SCALAR_ELEMENTS = {
    "div": NUM, "and": SMALL_BIT, "or": SMALL_BIT, "xor": SMALL_BIT, "shl": BIT, "shr": ("i16", "i32", "ui16", "ui32"),
}
COLUMN_OPS = ("add", "sub", "mul", "div", "max", "min")
SCRATCH = ("xor", "rem", "pow")
BITWISE = ("and", "or", "xor")  # of two tiles
NOT_IN_PLACE = ("and", "or", "xor")  # with a scalar


def bytes_written(sources: list[TileValue], op: Op) -> Array:
    """The marks of a bitwise result, by byte: a byte that some source never wrote means nothing in the result either.

    Around the bits of a mask may be what the memory held before; a byte is one or the other in all sources.
    """
    marks = [source.byte_marks(source.valid_places()) for source in sources]
    if np.logical_or.reduce([one == DATA for one in marks])[np.logical_or.reduce([one == MASK for one in marks])].any():
        raise Problem("mask", f"{op.name} of a mask and of data")
    written = np.logical_and.reduce([one != UNWRITTEN for one in marks])
    return np.where(written, marks[0], UNWRITTEN).astype(np.uint8)


def compute(function: Callable[[], Array], element: str) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(function()).astype(NUMPY[element])


def tile_with_tile(core: Core, op: Op) -> None:
    name = op.name[5:]
    function, allowed = BINARY[name]
    values, target = operands(core, op)
    (a, b), scratch = split(values, 2, op, int(name in SCRATCH))
    check_alike([a, b, target], op)
    check_element(target, allowed, op)
    check_in_place([a, b], target, op)
    use_scratch(scratch, [a, b, target], op)
    if name in BITWISE:
        marks = bytes_written([a, b], op)
        left, right = a.take(a.valid_places()), b.take(b.valid_places())
        target.write(function(left, right, target.element))
        target.mark_bytes(target.valid_places(), marks)
        return
    left, right = a.read(), b.read()
    target.write(compute(lambda: function(left, right, target.element), target.element))


def tile_with_scalar(core: Core, op: Op) -> None:
    name = op.name[5:-1]
    function, allowed = BINARY[name]
    values, target = operands(core, op)
    (a, b), scratch = split(values, 2, op, int(name in SCRATCH))
    reverse = not isinstance(a, TileValue)
    tile, scalar = (b, a) if reverse else (a, b)
    if not isinstance(tile, TileValue) or (reverse and name != "div"):
        raise Problem("operands", f"{op.name} takes a tile and a scalar")
    check_alike([tile, target], op, columns=name in COLUMN_OPS)
    check_element(target, SCALAR_ELEMENTS.get(name, allowed), op)
    check_in_place([tile], target, op, name not in NOT_IN_PLACE)
    number = scalar_for(scalar, op.group("ins")[0 if reverse else 1].type, target.element)
    use_scratch(scratch, [tile, target], op)
    data = tile.read()
    filled = np.full(data.shape, number)
    left, right = (filled, data) if reverse else (data, filled)
    target.write(compute(lambda: function(left, right, target.element), target.element))


UNARY: dict[str, tuple[Callable[[Array], Array], tuple[str, ...]]] = {
    "neg": (operator.neg, NUM),
    "abs": (np.abs, FLT),
    "exp": (np.exp, FLT),
    "log": (np.log, FLT),
    "sqrt": (np.sqrt, FLT),
    "rsqrt": (lambda a: 1 / np.sqrt(a.astype(np.float64)), FLT),
    "recip": (lambda a: 1 / a, FLT),
    "relu": (lambda a: np.maximum(a, 0), ("i32", "f16", "f32")),
    "not": (operator.invert, ("i16", "ui16")),
}


def unary(core: Core, op: Op) -> None:
    name = op.name[5:]
    function, allowed = UNARY[name]
    values, target = operands(core, op)
    (source,), scratch = split(values, 1, op, int(name == "rsqrt"))
    check_alike([source, target], op, columns=name == "neg")
    check_element(target, allowed, op)
    check_in_place([source], target, op, name != "recip")
    use_scratch(scratch, [source, target], op)
    if name == "not":
        marks = bytes_written([source], op)
        target.write(function(source.take(source.valid_places())))
        target.mark_bytes(target.valid_places(), marks)
        return
    data = source.read()
    target.write(compute(lambda: function(data), target.element))


for _name in BINARY:
    rule("t" + _name)(tile_with_tile)
    rule("t" + _name + "s")(tile_with_scalar)
for _name in UNARY:
    rule("t" + _name)(unary)


@rule("texpands")
def fill(core: Core, op: Op) -> None:
    (value,), target = operands(core, op)
    check_alike([target], op)
    check_element(target, EXPANDED, op)
    target.write(np.full(target.extent, scalar_for(value, op.group("ins")[0].type, target.element)))


# -- broadcasts -------------------------------------------------------------------------------------------------------

EXPAND: dict[str, tuple[Callable[[Array, Array], Array], tuple[str, ...]]] = {
    "": (lambda a, b: np.broadcast_to(b, a.shape), MOVED),
    "add": (operator.add, NUM),
    "sub": (operator.sub, NUM),
    "mul": (operator.mul, NUM),
    "div": (operator.truediv, FLT),
    "max": (np.maximum, NUM),
    "min": (np.minimum, NUM),
    "expdif": (lambda a, b: np.exp(a - b), FLT),
}


def expand(core: Core, op: Op) -> None:
    """`trowexpand*`: a column over all columns; `tcolexpand*`: a row over all rows."""
    rows = op.name.startswith("pto.trow")
    name = op.name[len("pto.trowexpand") :]
    function, allowed = EXPAND[name]
    values, target = operands(core, op)
    sources, scratch = split(values, 2 if name else 1, op, int(rows and bool(name)))
    vector = sources[-1]
    check_alike([*sources[:-1], target], op)
    check_element(target, allowed, op)
    if vector.element != target.element:
        raise Problem("type", f"{vector.name} has elements {vector.element}, {target.name} {target.element}")
    height, width = target.extent
    if rows:
        one_block = vector.type.blayout == "row_major" and vector.type.cols * vector.size == 32
        if not one_block and (vector.type.blayout != "col_major" or vector.type.cols != 1):
            raise Problem("layout", f"{op.name} takes a column vector, {vector.name} is {vector.type}")
        if vector.extent[0] != height or vector.extent[1] < 1:
            raise Problem("extent", f"{vector.name} has {vector.extent[0]} valid rows, {target.name} {height}")
        data = vector.read_part(0, 0, height, 1)
    else:
        if vector.type.blayout != "row_major":
            raise Problem("layout", f"{op.name} takes a row vector, {vector.name} is {vector.type}")
        if vector.extent[1] != width or vector.extent[0] < 1:
            raise Problem("extent", f"{vector.name} has {vector.extent[1]} valid columns, {target.name} {width}")
        data = vector.read_part(0, 0, 1, width)
    check_in_place(sources[:-1], target, op)
    check_apart([vector], target, op.name)
    use_scratch(scratch, [*sources, target], op)
    base = sources[0].read() if name else np.zeros((height, width), NUMPY[target.element])
    target.write(compute(lambda: function(base, data), target.element))


for _name in EXPAND:
    rule("trowexpand" + _name)(expand)
    if _name != "expdif":
        rule("tcolexpand" + _name)(expand)


# -- comparison and selection -----------------------------------------------------------------------------------------

COMPARE = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}


def write_mask(mask: TileValue, bits: Array, core: Core) -> None:
    """One bit per element, from the lowest bit of the first byte of a row; the other bits mean nothing."""
    rows, cols = mask.extent
    garbage = np.random.default_rng(core.machine.chance.getrandbits(32)).integers(0, 256, (rows, cols), np.uint8)
    packed = np.unpackbits(garbage, axis=1, bitorder="little")
    packed[:, : bits.shape[1]] = bits
    mask.write(np.packbits(packed, axis=1, bitorder="little").view(NUMPY[mask.element]), MASK)


def read_mask(mask: TileValue, extent: tuple[int, int]) -> Array:
    places = mask.valid_places()
    mask.demand(places, MASK)
    bits = np.unpackbits(mask.take(places).view(np.uint8), axis=1, bitorder="little")
    return bits[: extent[0], : extent[1]].astype(bool)


def check_mask(mask: Any, data: TileValue, op: Op) -> None:
    if not isinstance(mask, TileValue) or mask.element not in ("i8", "ui8") or mask.type.blayout != data.type.blayout:
        raise Problem("mask", f"{op.name} takes a mask of i8")
    if (mask.type.rows, mask.type.cols) != (data.type.rows, data.type.cols):
        raise Problem("mask", f"{mask.name} is {mask.type.rows}x{mask.type.cols}, the data {data.type.rows}x{data.type.cols}")
    if mask.extent != data.extent:
        raise Problem("extent", f"{mask.name} has the valid extent {mask.extent}, the data {data.extent}")


@rule("tcmp", "tcmps")
def compare(core: Core, op: Op) -> None:
    values, mask = operands(core, op)
    (a, b), _ = split(values, 2, op)
    mode = op.ins_attributes.get("cmpMode")
    if not isinstance(mode, Enum) or mode.value not in COMPARE:
        raise Problem("operands", f"{op.name} takes a cmpMode")
    check_alike([a, b] if isinstance(b, TileValue) else [a], op, columns=op.name == "pto.tcmps")
    check_element(a, ("i32", "ui32", "f16", "f32") + (("i16", "ui16") if op.name == "pto.tcmps" else ()), op)
    check_mask(mask, a, op)
    check_apart([a] + ([b] if isinstance(b, TileValue) else []), mask, op.name)
    right = b.read() if isinstance(b, TileValue) else scalar_for(b, op.group("ins")[1].type, a.element)
    write_mask(mask, COMPARE[mode.value](a.read(), right), core)


@rule("tsel")
def choose(core: Core, op: Op) -> None:
    values, target = operands(core, op)
    (mask, a, b), scratch = split(values, 3, op, 1)
    check_alike([a, b, target], op)
    check_element(target, ("i16", "i32", "ui16", "ui32", "f16", "bf16", "f32"), op)
    check_mask(mask, target, op)
    if scratch and (not isinstance(scratch[0], TileValue) or scratch[0].size != 4):
        raise Problem("operands", "the scratch of pto.tsel has elements of 4 bytes")
    check_in_place([a, b], target, op)
    check_apart([mask], target, op.name)
    use_scratch(scratch, [mask, a, b, target], op)
    target.write(np.where(read_mask(mask, target.extent), a.read(), b.read()))


@rule("tsels")
def choose_or_scalar(core: Core, op: Op) -> None:
    values, target = operands(core, op)
    if len(values) not in (3, 4):
        raise Problem("operands", f"pto.tsels takes a mask, a tile, scratch and a scalar, {len(values)} operands given")
    mask, a, *scratch, scalar = values
    check_alike([a, target], op)
    check_element(target, NUM, op)
    check_mask(mask, target, op)
    if scratch and (not isinstance(scratch[0], TileValue) or scratch[0].element != a.element):
        raise Problem("operands", f"the scratch of pto.tsels has elements of {a.element}")
    check_in_place([a], target, op)
    check_apart([mask], target, op.name)
    number = scalar_for(scalar, op.group("ins")[-1].type, target.element)
    use_scratch(scratch, [mask, a, target], op)
    target.write(np.where(read_mask(mask, target.extent), a.read(), number))


# -- conversions ------------------------------------------------------------------------------------------------------

TO_WHOLE: dict[str, Callable[[Array], Array]] = {
    "NONE": np.rint,
    "RINT": np.rint,
    "CAST_RINT": np.rint,
    "ROUND": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
    "FLOOR": np.floor,
    "CEIL": np.ceil,
    "TRUNC": np.trunc,
    "ODD": lambda x: np.where(np.trunc(x) == x, x, np.where(np.mod(np.floor(x), 2) == 1, np.floor(x), np.ceil(x))),
}


def to_integer(exact: Array, element: str, mode: str, saturate: bool) -> Array:
    """`exact` in extended precision, which holds every integer of 64 bits and every float of 32."""
    info = np.iinfo(NUMPY[element])
    whole = TO_WHOLE[mode](exact)
    if saturate:
        clipped = np.clip(np.where(np.isnan(whole), 0, whole), info.min, info.max)
        return clipped.astype(np.int64).astype(NUMPY[element])
    outside = ~((whole >= info.min) & (whole <= info.max))
    return undefined_where(outside, np.where(outside, 0, whole).astype(np.int64).astype(NUMPY[element]), element)


def to_float(exact: Array, element: str, mode: str, saturate: bool) -> Array:
    dtype = np.dtype(NUMPY[element])
    bits = UNSIGNED[dtype.itemsize]
    near = exact.astype(np.float32).astype(dtype)
    # `near` may have been rounded twice; the right neighbours are beside it.
    finite = np.isfinite(exact)
    largest = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "f32": 3.4028234663852886e38}[element]

    def step(value: Array, up: bool) -> Array:
        raw = value.view(bits).astype(np.int64)
        sign = np.int64(1) << (dtype.itemsize * 8 - 1)
        order = np.where(raw >= sign, -(raw - sign), raw) + (1 if up else -1)
        back = np.where(order < 0, -order + sign, order)
        return back.astype(bits).view(dtype)

    wide = near.astype(np.longdouble)
    low = np.where(wide > exact, step(near, False).astype(np.longdouble), wide)
    high = np.where(wide < exact, step(near, True).astype(np.longdouble), wide)
    below, above = low.astype(np.float32).astype(dtype), high.astype(np.float32).astype(dtype)
    if mode in ("NONE", "RINT", "CAST_RINT", "ROUND"):
        # The first number above the largest, where infinity begins to be nearer, is as far away as the one before.
        beyond = np.longdouble(largest) + (np.longdouble(largest) - step(np.array(largest, dtype), False).astype(np.longdouble))
        down, up = exact - np.maximum(low, -beyond), np.minimum(high, beyond) - exact
        even = (below.view(bits) & 1) == 0
        lower = (down < up) | ((down == up) & (even if mode != "ROUND" else exact < 0))
        result = np.where(lower, below, above)
    elif mode == "FLOOR":
        result = below
    elif mode == "CEIL":
        result = above
    elif mode == "TRUNC":
        result = np.where(exact < 0, above, below)
    else:
        result = np.where((below.view(bits) & 1) == 1, below, above)
    result = np.where(finite & (low != high), result, near)
    if saturate:
        clipped = np.clip(result.astype(np.float32), -largest, largest).astype(dtype)
        result = np.where(np.isnan(exact), result, clipped)
    return result.astype(dtype)


@rule("tcvt")
def convert(core: Core, op: Op) -> None:
    values, target = operands(core, op)
    (source,), scratch = split(values, 1, op, 1)
    if source.extent != target.extent or (source.type.rows, source.type.cols) != (target.type.rows, target.type.cols):
        raise Problem("extent", f"{source.name} and {target.name} differ in shape or valid extent")
    if source.type.blayout != target.type.blayout or source.type.slayout != "none_box":
        raise Problem("layout", f"{source.name} and {target.name} differ in layout")
    check_in_place([source], target, op)
    use_scratch(scratch, [source, target], op)
    mode = op.ins_attributes.get("rmode", Enum("round_mode", "CAST_RINT", False))
    saturation = op.ins_attributes.get("sat_mode", Enum("saturation_mode", "OFF", False))
    if not isinstance(mode, Enum) or mode.value not in TO_WHOLE or not isinstance(saturation, Enum):
        raise Problem("operands", f"unknown rounding or saturation mode {mode}, {saturation}")
    saturate = saturation.value == "ON"
    data = source.read()
    with np.errstate(all="ignore"):
        if source.element in FLOATS:
            exact = data.astype(np.float32).astype(np.longdouble)
        elif target.element not in FLOATS and not saturate:
            target.write(data.astype(NUMPY[target.element]))  # integers wrap
            return
        else:
            exact = data.astype(np.longdouble)
        change = to_float if target.element in FLOATS else to_integer
        target.write(change(exact, target.element, mode.value, saturate))


__all__ = ["NUM", "FLT", "MOVED", "Scalar", "Tile", "operands", "check_element", "use_scratch", "split", "compute", "check_alike"]
