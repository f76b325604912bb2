"""Signals, and copies between ranks."""

from __future__ import annotations

from facts import Facts, tile_of
from model import I1, I32, Enum, Op, Operand, Part, Tile, View
from rules_extents import Known, region, valid
from rules_tiles import ATOMIC, wrong_operands
from storage import overlap

SIGNALS = ("pto.comm.tnotify", "pto.comm.twait", "pto.comm.ttest")
COPIES = ("pto.comm.tput", "pto.comm.tget")


def check(facts: Facts) -> None:
    for op in facts.all_ops():
        if op.name in SIGNALS:
            _signal(facts, op)
        elif op.name in COPIES:
            _copy(facts, op)


def _signal(facts: Facts, op: Op) -> None:
    signal, value = op.group("signal")[0], op.group("value")[0]
    if not isinstance(signal.type, (View, Part)):
        facts.fault(signal, "signal", f"a signal must be a tensor view or partition view, {signal.type} found")
    else:
        if signal.type.element != "i32":
            facts.fault(signal, "signal", f"the signal element must be i32, {signal.type.element} found")
        if None in signal.type.dims:
            facts.fault(signal, "signal", f"no dynamic dims on a signal, {signal.type} found")
    if value.type != I32:
        facts.fault(value, "signal-value", f"the value must be i32, {value.type} found")
    if op.result_types and op.result_types[0] != I1:
        facts.fault(op, "signal-value", f"a test returns i1, {op.result_types[0]} found")


def _copy(facts: Facts, op: Op) -> None:
    to, from_, staging = op.group("dst")[0], op.group("src")[0], op.group("buf")
    if not isinstance(to.type, Part) or not isinstance(from_.type, Part) or len(staging) not in (1, 2):
        wrong_operands(facts, op, "two partition views and one or two staging tiles")
        return
    if to.type.element != from_.type.element:
        facts.fault(op, "copy-element", f"both regions must have one element type, {to.type.element} and {from_.type.element} found")
    if to.type.dims != from_.type.dims:
        facts.fault(op, "copy-shape", f"both regions must have the same shape, ? in the same places: {to.type} and {from_.type}")
    elif region(facts, to) != region(facts, from_):
        facts.fault(op, "copy-shape", "the sizes of the two regions differ where their types say ?")
    for operand in staging:
        _staging(facts, operand, to.type.element, region(facts, to))
    if len(staging) == 2:
        if tile_of(staging[0]) != tile_of(staging[1]):
            facts.fault(staging[1], "copy-staging", "both staging tiles must have one type")
        if overlap(facts, staging[0], staging[1]):
            facts.fault(staging[1], "copy-staging", "the staging tiles share bytes")
    atomic = op.attributes.get("atomicType")
    if isinstance(atomic, Enum) and atomic.value == "atomic_add" and to.type.element not in ATOMIC:
        facts.fault(to, "atomic-element", f"atomic_add works on {', '.join(ATOMIC)}, {to.type.element} found")


def _staging(facts: Facts, operand: Operand, element: str, sizes: list[Known]) -> None:
    tile = operand.type
    if not isinstance(tile, Tile):
        facts.fault(operand, "copy-staging", f"staging must be a tile, {tile} found")
        return
    if tile.space != "vec":
        facts.fault(operand, "copy-staging", f"staging must be in vec, {tile.space} found")
    elif tile.blayout != "row_major" or tile.slayout != "none_box":
        facts.fault(operand, "row-major", f"staging must be row-major, {tile} found")
    if tile.element != element:
        facts.fault(operand, "copy-staging", f"the staging element type must be that of the regions, {element}; {tile.element} found")
    rectangle = [1, *sizes][-2:]
    for what, part, whole in zip(("rows", "columns"), valid(facts, operand), rectangle):
        if isinstance(part, int) and isinstance(whole, int) and (part == 0 or whole % part):
            facts.fault(operand, "copy-staging", f"valid {what} of the staging tile ({part}) must divide those of the region ({whole})")
        elif isinstance(part, int) and whole is not None and not isinstance(whole, int):
            facts.fault(operand, "copy-staging", f"valid {what} of the staging tile must be ? where those of the region are")
