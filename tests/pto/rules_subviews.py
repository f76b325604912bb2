"""Parts of tiles that stay where they are: their types, bounds and alignment, and the ops that may use them."""

from __future__ import annotations

from facts import Facts, tile_of
from model import ELEMENT_BYTES, Op, Tile
from rules_tiles import wrong_operands
from rules_vector import FORMS
from storage import is_subview

USES = ("pto.tload", "pto.tstore", "pto.tcvt", "pto.subview", "pto.set_validshape", "pto.tprint", *FORMS)


def check(facts: Facts) -> None:
    for op in facts.all_ops():
        if op.name == "pto.subview":
            _subview(facts, op)
        if op.name not in USES:
            _no_subviews(facts, op)


def _no_subviews(facts: Facts, op: Op) -> None:
    for operand in op.operands:
        if isinstance(operand.type, Tile) and is_subview(facts, operand):
            facts.fault(operand, "subview-use", f"{op.name} does not take a subview, which keeps its parent's shape and row pitch inside")


def _subview(facts: Facts, op: Op) -> None:
    source, result = tile_of(op.group("source")[0]), op.result_types[0]
    sizes = op.attributes["sizes"]
    if source is None or not isinstance(result, Tile):
        wrong_operands(facts, op, "a tile and returns one")
        return
    for what in ("space", "element", "blayout", "slayout", "fractal"):
        if getattr(source, what) != getattr(result, what):
            facts.fault(op, "subview-type", f"the result must have the {what} of its source: {getattr(source, what)}, "
                        f"{getattr(result, what)} found")
    if sizes != (result.rows, result.cols):
        facts.fault(op.places["sizes"], "subview-sizes", f"the sizes must be those of the result, {result.rows}x{result.cols}")
    given = op.group("valid")
    if given and len(given) != 2:
        facts.fault(op, "operands", "valid takes a number of rows and one of columns")
    elif not given and None in result.valid:
        facts.fault(op, "valid-operand", "valid [...] is required because the valid of the result is ?")
    for dim, operand in zip(result.valid, given):
        if dim is not None and facts.integer(operand) != dim:
            facts.fault(operand, "valid-operand", f"the valid operand must be {dim}, as the type of the result says")
    offsets = op.group("offsets")
    if len(offsets) != 2:
        facts.fault(op, "operands", f"pto.subview takes two offsets, {len(offsets)} found")
        return
    for what, operand, size, limit in (("row", offsets[0], result.rows, source.rows), ("column", offsets[1], result.cols, source.cols)):
        start = facts.integer(operand)
        if start is not None and (start < 0 or start + size > limit):
            facts.fault(operand, "bounds", f"{what} offset {start} + {what}s {size} exceed the source {what}s ({limit})")
        if start is None and size > limit:
            facts.fault(operand, "bounds", f"{size} {what}s exceed the source {what}s ({limit})")
    along = facts.integer(offsets[1] if source.blayout == "row_major" else offsets[0])
    if along is not None and along * ELEMENT_BYTES.get(source.element, 0) % 32:
        facts.fault(op, "subview-alignment", "the resulting tile address must be a multiple of 32")
