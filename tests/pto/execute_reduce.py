"""Reductions, and ops that change the shape: transpose, concat, fillpad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from execute_core import Core, rule
from execute_fault import Problem
from execute_moves import check_apart
from execute_tiles import FLOATS, NUMPY, TileValue
from execute_vector import MOVED, NUM, check_element, compute, operands, split, use_scratch
from model import Op

Array = Any


def total(data: Array, axis: int, function: Any) -> Array:
    """Sums and products of floats in double precision, rounded once; integers wrap."""
    if data.dtype.kind in "iu":
        return function.reduce(data.astype(np.int64), axis=axis, keepdims=True)
    return function.reduce(data.astype(np.float64), axis=axis, keepdims=True)


REDUCE: dict[str, Callable[[Array, int], Array]] = {
    "sum": lambda data, axis: total(data, axis, np.add),
    "prod": lambda data, axis: total(data, axis, np.multiply),
    "max": lambda data, axis: data.max(axis=axis, keepdims=True),
    "min": lambda data, axis: data.min(axis=axis, keepdims=True),
    "argmax": lambda data, axis: np.expand_dims(data.argmax(axis=axis), axis),
    "argmin": lambda data, axis: np.expand_dims(data.argmin(axis=axis), axis),
}


def reduce(core: Core, op: Op) -> None:
    rows = op.name.startswith("pto.trow")
    name = op.name[len("pto.trow") :]
    values, target = operands(core, op)
    (source,), scratch = split(values, 1, op, 1)
    check_element(source, NUM, op)
    if source.type.blayout != "row_major" or source.type.slayout != "none_box":
        raise Problem("layout", f"{op.name} reduces row_major tiles, {source.name} is {source.type}")
    if name.startswith("arg"):
        check_element(target, ("i32", "ui32"), op)
    elif target.element != source.element:
        raise Problem("type", f"{source.name} has elements {source.element}, {target.name} {target.element}")
    height, width = source.extent
    wanted = (height, 1) if rows else (1, width)
    if target.extent != wanted:
        raise Problem("extent", f"{target.name} has the valid extent {target.extent}, the result of {op.name} is {wanted}")
    if not rows and target.type.blayout != "row_major":
        raise Problem("layout", f"{op.name} gives a row, {target.name} is {target.type}")
    if name == "sum" and not rows and scratch and "isBinary" not in op.ins_attributes:
        raise Problem("operands", "scratch of pto.tcolsum needs isBinary")
    for tile in scratch:
        if isinstance(tile, TileValue) and tile.element != source.element:
            raise Problem("type", f"scratch of {tile.element} for {source.element}")
    check_apart([source], target, op.name)
    use_scratch(scratch, [source, target], op)
    data = source.read()
    if not data.size and data.shape[1 if rows else 0] == 0:
        raise Problem("extent", f"{op.name} of no elements")
    target.write(compute(lambda: REDUCE[name](data, 1 if rows else 0), target.element))


for _name in REDUCE:
    rule("trow" + _name)(reduce)
    rule("tcol" + _name)(reduce)


@rule("ttrans")
def transpose(core: Core, op: Op) -> None:
    values, target = operands(core, op)
    (source,), scratch = split(values, 1, op, 1)
    check_element(source, MOVED, op)
    if target.element != source.element or any(
        tile.type.blayout != "row_major" or tile.type.slayout != "none_box" or not tile.whole for tile in (source, target)
    ):
        raise Problem("layout", f"pto.ttrans takes whole row_major tiles of one element type: {source.type}, {target.type}")
    if target.extent != source.extent[::-1]:
        raise Problem("extent", f"{target.name} has the valid extent {target.extent}, the transpose {source.extent[::-1]}")
    check_apart([source], target, op.name)
    use_scratch(scratch, [source, target], op)
    target.write(source.read().T)


@rule("tconcat")
def concat(core: Core, op: Op) -> None:
    values, target = operands(core, op)
    (a, b), _ = split(values, 2, op)
    check_element(target, MOVED, op)
    for tile in (a, b, target):
        if tile.element != target.element or tile.type.blayout != "row_major":
            raise Problem("layout", f"pto.tconcat takes row_major tiles of one element type, {tile.name} is {tile.type}")
        if tile.extent[0] != target.extent[0]:
            raise Problem("extent", f"{tile.name} has {tile.extent[0]} valid rows, {target.name} {target.extent[0]}")
    width = a.extent[1] + b.extent[1]
    if width > target.type.cols:
        raise Problem("extent", f"{width} columns do not fit into {target.name} of {target.type.cols}")
    check_apart([a, b], target, op.name)
    target.put(target.places[: target.extent[0], :width], np.concatenate([a.read(), b.read()], axis=1))


def pad_value(element: str, pad: int) -> Any:
    """Zero, or the largest or smallest finite value."""
    if pad == 1:
        return NUMPY[element](0)
    if element in FLOATS:
        largest = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "f32": 3.4028234663852886e38}[element]
        return NUMPY[element](largest if pad == 2 else -largest)
    info = np.iinfo(NUMPY[element])
    return info.max if pad == 2 else info.min


@rule("tfillpad")
def fill_pad(core: Core, op: Op) -> None:
    values, target = operands(core, op)
    (source,), _ = split(values, 1, op)
    check_element(source, MOVED, op)
    if target.type.pad not in (1, 2, 3):
        raise Problem("operands", f"{target.name} has pad={target.type.pad}, pto.tfillpad takes 1, 2 or 3")
    if source.element != target.element or (source.type.rows, source.type.cols) != (target.type.rows, target.type.cols):
        raise Problem("type", f"{source.name} and {target.name} differ in shape or element type")
    if target.extent != (target.type.rows, target.type.cols):
        raise Problem("extent", f"{target.name} must be valid everywhere, its extent is {target.extent}")
    check_apart([source], target, op.name)
    data = source.read()
    padded = np.full(target.extent, pad_value(target.element, target.type.pad), NUMPY[target.element])
    padded[: data.shape[0], : data.shape[1]] = data
    target.write(padded)
