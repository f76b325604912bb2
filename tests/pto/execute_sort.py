"""Index ops: counting up, gather, scatter, sorting pairs of value and index."""

from __future__ import annotations

from typing import Any

import numpy as np

from execute_core import Core, rule
from execute_fault import Problem
from execute_moves import check_apart
from execute_scalars import scalar_for
from execute_tiles import DATA, FLOATS, NUMPY, TileValue
from execute_vector import NUM, check_element, operands, split, use_scratch
from model import Enum, Op

Array = Any


def check_rows(tiles: list[TileValue], op: Op) -> None:
    for tile in tiles:
        if tile.type.blayout != "row_major" or tile.type.slayout != "none_box":
            raise Problem("layout", f"{op.name} takes row_major tiles, {tile.name} is {tile.type}")


@rule("tci")
def count(core: Core, op: Op) -> None:
    values, target = operands(core, op)
    (start,), scratch = split(values, 1, op, 1)
    check_rows([target], op)
    check_element(target, ("i16", "i32", "ui16", "ui32"), op)
    if target.extent[0] != 1 or target.type.rows != 1 or target.type.cols < 2:
        raise Problem("extent", f"pto.tci fills one row of more than one column, {target.name} is {target.type}")
    use_scratch(scratch, [target], op)
    first = int(scalar_for(start, op.group("ins")[0].type, target.element))
    step = -1 if (op.ins_attributes | op.attributes).get("descending") is True else 1
    target.write((first + step * np.arange(target.extent[1], dtype=np.int64))[None, :].astype(NUMPY[target.element]))


PATTERNS = {
    "P0101": (2, 0), "P1010": (2, 1), "P0001": (4, 0), "P0010": (4, 1), "P0100": (4, 2), "P1000": (4, 3), "P1111": (1, 0),
}


def take_flat(source: TileValue, numbers: Array) -> Array:
    """Elements by their number, row * columns + column; each must be valid."""
    rows, cols = source.extent
    row, col = np.divmod(numbers.astype(np.int64), source.type.cols)
    outside = (row < 0) | (row >= rows) | (col >= cols)
    if outside.any():
        raise Problem("out-of-bounds", f"index {int(numbers[outside][0])} lies outside {source.name}, valid extent {rows}x{cols}")
    places = source.places[row, col]
    source.demand(places, DATA)
    return source.take(places)


@rule("tgather")
def gather(core: Core, op: Op) -> None:
    values, target = operands(core, op)
    pattern = op.ins_attributes.get("maskPattern")
    if pattern is not None:
        if not isinstance(pattern, Enum) or pattern.value not in PATTERNS:
            raise Problem("operands", f"unknown maskPattern {pattern}")
        (source,), _ = split(values, 1, op)
        check_rows([source, target], op)
        if source.size != target.size:
            raise Problem("type", f"{source.element} gathered into {target.element}")
        check_apart([source], target, op.name)
        step, first = PATTERNS[pattern.value]
        if source.extent[1] % step:
            raise Problem("extent", f"{source.extent[1]} columns are not a whole number of groups of {step}")
        target.write(np.ascontiguousarray(source.read()[:, first::step]).view(NUMPY[target.element]))
        return
    (source, index, scratch), _ = split(values, 3, op)
    check_rows([source, index, target], op)
    check_element(target, NUM, op)
    check_element(index, ("i32", "ui32"), op)
    if source.element != target.element or index.extent != target.extent:
        raise Problem("type", "pto.tgather takes one element type, and an index of the extent of its result")
    if scratch.element != "i32" or any(have < need for have, need in zip(scratch.extent, index.extent)):
        raise Problem("operands", f"scratch of pto.tgather is i32 and at least {index.extent}, {scratch.name} is {scratch.type}")
    check_apart([source, index], target, op.name)
    use_scratch([scratch], [source, index, target], op)
    target.write(take_flat(source, index.read()))


@rule("tgatherb")
def gather_bytes(core: Core, op: Op) -> None:
    """The index is a byte offset."""
    values, target = operands(core, op)
    (source, index), _ = split(values, 2, op)
    check_rows([source, index, target], op)
    check_element(index, ("i32", "ui32"), op)
    if source.element != target.element or index.extent != target.extent:
        raise Problem("type", "pto.tgatherb takes one element type, and an index of the extent of its result")
    check_apart([source, index], target, op.name)
    offsets = index.read()
    if (offsets % source.size).any():
        raise Problem("alignment", f"a byte offset that is not a multiple of {source.size}")
    target.write(take_flat(source, offsets // source.size))


@rule("tscatter")
def scatter(core: Core, op: Op) -> None:
    """dst[i, idx[i, j]] = src[i, j]; of equal positions the last one counts, what is not named stays."""
    values, target = operands(core, op)
    (source, index), _ = split(values, 2, op)
    check_rows([source, index, target], op)
    wanted = ("i32", "ui32") if source.size == 4 else ("i16", "ui16")
    check_element(index, wanted, op)
    if source.element != target.element or source.extent != index.extent:
        raise Problem("type", "pto.tscatter takes one element type, and an index of the extent of its source")
    rows, cols = source.extent
    if target.extent[0] < rows or target.extent[1] < cols:
        raise Problem("extent", f"{target.name} is smaller than {source.name}")
    check_apart([source, index], target, op.name)
    data, at = source.read(), index.read().astype(np.int64)
    if ((at < 0) | (at >= target.extent[1])).any():
        raise Problem("out-of-bounds", f"an index lies outside the {target.extent[1]} columns of {target.name}")
    for col in range(cols):
        places = target.places[np.arange(rows), at[:, col]]
        target.put(places, data[:, col])


# -- pairs ------------------------------------------------------------------------------------------------------------
# A pair takes 8 bytes: the value, for f16 two bytes that mean nothing, and the index.


def to_pairs(tile: TileValue) -> Array:
    """The pairs of each row, as records."""
    record = record_of(tile.element)
    return np.ascontiguousarray(tile.read()).view(record)


def record_of(element: str) -> np.dtype[Any]:
    return np.dtype({"names": ["value", "index"], "formats": [NUMPY[element], np.int32], "offsets": [0, 4], "itemsize": 8})


def descending(values: Array) -> Array:
    """The order of the largest first; equal ones keep theirs."""
    return np.argsort(-values.astype(np.float64), kind="stable")


@rule("tsort32")
def sort32(core: Core, op: Op) -> None:
    values, target = operands(core, op)
    (data, index), scratch = split(values, 2, op, 1)
    check_rows([data, index, target], op)
    check_element(data, ("f16", "f32"), op)
    check_element(index, ("i32", "ui32"), op)
    rows, cols = data.extent
    if target.element != data.element or index.extent[1] != cols or index.extent[0] not in (1, rows):
        raise Problem("type", f"pto.tsort32 of {data.type} with {index.type} into {target.type}")
    if cols % 32 or target.extent != (rows, cols * (8 // data.size)):
        raise Problem("extent", f"pto.tsort32 of {rows}x{cols} gives {rows}x{cols * (8 // data.size)}, {target.name} has {target.extent}")
    check_apart([data, index], target, op.name)
    use_scratch(scratch, [data, index, target], op)
    numbers, labels = data.read(), np.broadcast_to(index.read(), (rows, cols))
    pairs = np.zeros((rows, cols), record_of(data.element))
    for row in range(rows):
        for start in range(0, cols, 32):
            order = start + descending(numbers[row, start : start + 32])
            pairs["value"][row, start : start + 32] = numbers[row, order]
            pairs["index"][row, start : start + 32] = labels[row, order].astype(np.int32)
    target.write(pairs.view(NUMPY[target.element]).reshape(rows, -1))


def merged(runs: list[Array]) -> Array:
    """Runs that are each in order, as one; raises when one is not."""
    for run in runs:
        if (np.diff(run["value"].astype(np.float64)) > 0).any():
            raise Problem("order", "a run to be merged is not in descending order")
    whole = np.concatenate(runs)
    return whole[descending(whole["value"])]


@rule("tmrgsort")
def merge_sort(core: Core, op: Op) -> None:
    values = core.values(op, "ins")
    targets = core.values(op, "outs")
    target = targets[0]
    if isinstance(values[-1], TileValue):
        merge_lists(values, targets, op)
        return
    source, length = values
    check_rows([source, target], op)
    check_element(source, ("f16", "f32"), op)
    if source.element != target.element or source.extent != target.extent or source.extent[0] != 1:
        raise Problem("extent", f"pto.tmrgsort merges one row into one of the same extent: {source.type}, {target.type}")
    if length <= 0 or length % 64:
        raise Problem("operands", f"runs of {length} elements, expected a multiple of 64")
    check_apart([source], target, op.name)
    width = source.extent[1]
    if width % (4 * length):
        raise Problem("extent", f"{width} elements are not a whole number of groups of four runs of {length}")
    pairs = to_pairs(source)[0]
    run = length * source.size // 8
    groups = [
        merged([pairs[at : at + run] for at in range(start, start + 4 * run, run)]) for start in range(0, len(pairs), 4 * run)
    ]
    target.write(np.concatenate(groups).view(NUMPY[target.element])[None, :])


def merge_lists(values: list[Any], targets: list[Any], op: Op) -> None:
    *lists, scratch = values
    target = targets[0]
    if not 2 <= len(lists) <= 4:
        raise Problem("operands", f"pto.tmrgsort merges 2 to 4 lists, {len(lists)} given")
    if (op.ins_attributes | op.attributes).get("exhausted") is not False:
        raise Problem("operands", "pto.tmrgsort of lists takes exhausted = false")
    check_rows([*lists, target], op)
    if any(one.element != target.element or one.element not in FLOATS or one.extent[0] != 1 for one in [*lists, target]):
        raise Problem("type", "pto.tmrgsort merges rows of one element type")
    check_apart(lists, target, op.name)
    use_scratch([scratch], [*lists, target], op)
    whole = merged([to_pairs(one)[0] for one in lists]).view(NUMPY[target.element])[None, :]
    if whole.shape[1] > target.extent[1]:
        raise Problem("extent", f"{whole.shape[1]} elements do not fit into {target.name}")
    target.put(target.places[:1, : whole.shape[1]], whole)
    if len(targets) > 1:
        for k, one in enumerate(lists):
            targets[1][k] = one.extent[1] * one.size // 8
