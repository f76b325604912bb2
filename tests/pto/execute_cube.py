"""The matrix products of the cube core."""

from __future__ import annotations

from typing import Any

import numpy as np

from execute_core import Core, rule
from execute_fault import Problem
from execute_moves import check_cube_layout
from execute_tiles import NUMPY
from model import Op

Array = Any

PRODUCTS = {("f16", "f16"): "f32", ("bf16", "bf16"): "f32", ("f32", "f32"): "f32", ("i8", "i8"): "i32"}


@rule("tmatmul", "tmatmul.acc", "tmatmul.bias")
def multiply(core: Core, op: Op) -> None:
    values, target = core.values(op, "ins"), core.one(op, "outs")
    kind = op.name.partition("tmatmul")[2]
    if len(values) != (3 if kind else 2):
        raise Problem("operands", f"{op.name} takes {3 if kind else 2} operands, {len(values)} given")
    left, right = (values[1:] if kind == ".acc" else values[:2])
    for tile, space in ((left, "left"), (right, "right"), (target, "acc")):
        if tile.type.space != space:
            raise Problem("space", f"{op.name} takes left, right and acc tiles, {tile.name} is in {tile.type.space}")
        check_cube_layout(tile)
    if PRODUCTS.get((left.element, right.element)) != target.element:
        raise Problem("type", f"no product of {left.element} and {right.element} in {target.element}")
    (height, inner), (inner_right, width) = left.extent, right.extent
    if inner != inner_right or target.extent != (height, width):
        raise Problem("extent", f"a product of {left.extent} and {right.extent} in {target.extent}")
    wide = np.int64 if target.element == "i32" else np.float64
    with np.errstate(all="ignore"):
        product = left.read().astype(wide) @ right.read().astype(wide)
    if kind == ".acc":
        acc = values[0]
        if not acc.same_place(target):
            raise Problem("overlap", f"{op.name} accumulates in place, {acc.name} is not {target.name}")
        product = product + acc.read().astype(wide)
    elif kind == ".bias":
        bias = values[2]
        if bias.type.space != "bias" or bias.element != target.element or bias.extent != (1, width):
            raise Problem("type", f"the bias is one row of {width} {target.element} in bias, {bias.name} is {bias.type}")
        product = product + bias.read().astype(wide)
    with np.errstate(all="ignore"):
        target.write(product.astype(NUMPY[target.element]))
