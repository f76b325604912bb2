"""Matrix products: spaces, element types, shapes, the accumulator."""

from __future__ import annotations

from facts import Facts, tile_of
from model import Op, Tile
from rules_extents import same, shown_both, valid
from rules_tiles import wrong_operands

TRIPLES = (("i32", "i8", "i8"), ("f32", "f16", "f16"), ("f32", "bf16", "bf16"), ("f32", "f32", "f32"))
# The spaces of the operands of each op, the result last.
SPACES = {
    "pto.tmatmul": ("left", "right", "acc"),
    "pto.tmatmul.acc": ("acc", "left", "right", "acc"),
    "pto.tmatmul.bias": ("left", "right", "bias", "acc"),
}


def check(facts: Facts) -> None:
    for op in facts.all_ops():
        if op.name in SPACES:
            _product(facts, op)


def _product(facts: Facts, op: Op) -> None:
    spaces = SPACES[op.name]
    operands = (*op.group("ins"), *op.group("outs"))
    tiles = [tile for tile in map(tile_of, operands) if tile]
    if len(op.group("outs")) != 1 or len(operands) != len(spaces) or len(tiles) != len(spaces):
        wrong_operands(facts, op, f"tiles in {', '.join(spaces[:-1])}, and one result tile in acc")
        return
    found = tuple(tile.space for tile in tiles)
    if found != spaces:
        facts.fault(op, "matmul-spaces", f"operands must be in {', '.join(spaces[:-1])} and {spaces[-1]}, {', '.join(found)} found")
        return
    at = spaces.index("left")
    left, right, acc = tiles[at], tiles[at + 1], tiles[-1]
    triple = (acc.element, left.element, right.element)
    if triple not in TRIPLES:
        listed = ", ".join("/".join(one) for one in TRIPLES)
        facts.fault(op, "matmul-elements", f"acc/left/right must be one of {listed}; {'/'.join(triple)} found")
    if left.cols != right.rows or left.rows != acc.rows or right.cols != acc.cols:
        shapes = ", ".join(f"[{tile.rows},{tile.cols}]" for tile in (left, right, acc))
        facts.fault(op, "matmul-shapes", f"shapes must be [M,K], [K,N], [M,N]; {shapes} found")
    else:
        _extents(facts, op, at)
    if op.name == "pto.tmatmul.acc":
        if facts.definition(op.group("ins")[0]) is not facts.definition(op.group("outs")[0]):
            facts.fault(op, "matmul-acc", "the accumulator is updated in place: the same tile in ins and outs expected")
    if op.name == "pto.tmatmul.bias":
        _bias(facts, op, tiles[2], acc)


def _extents(facts: Facts, op: Op, at: int) -> None:
    left, right, acc = (valid(facts, operand) for operand in (*op.group("ins")[at : at + 2], op.group("outs")[0]))
    for what, a, b in (("K", left[1], right[0]), ("M", left[0], acc[0]), ("N", right[1], acc[1])):
        if not same(a, b):
            facts.fault(op, "matmul-extents", f"the valid extents of {what} differ: {shown_both((a,), (b,))}")


def _bias(facts: Facts, op: Op, bias: Tile, acc: Tile) -> None:
    if bias.element != acc.element:
        facts.fault(op, "matmul-bias", f"bias and result must have one element type, {bias.element} and {acc.element} found")
    if (bias.rows, bias.cols) != (1, acc.cols):
        facts.fault(op, "matmul-bias", f"bias must be [1,{acc.cols}], [{bias.rows},{bias.cols}] found")
