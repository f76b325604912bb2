"""Mutants of right modules: each breaks one thing, and says with which faults the reader must answer.

    for mutant in mutants(text): ...    # in the order of the text; Mutant(kind, line, text, codes)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from model import Module, Op, Scalar, Tile
from pipes import FREES, POPS, PUSHES
from syntax import parse, walk


@dataclass(frozen=True)
class Mutant:
    kind: str
    line: int
    text: str
    codes: frozenset[str]  # at least one of these must be reported


EXCHANGED = "<this line and the next one>"
Made = Iterator[tuple[int, "str | None", str]]  # line, what it becomes (None: it goes away), the codes


class Text:
    """A module, its lines, and its ops with those lines."""

    def __init__(self, text: str):
        self.lines = text.split("\n")
        self.module: Module = parse(text)
        self.ops: list[Op] = [op for function in self.module.functions for op in walk(function.body)]

    def line(self, op: Op) -> str:
        return self.lines[op.line - 1]

    def replaced(self, line: int, new: str | None) -> str:
        lines = list(self.lines)
        if new is EXCHANGED:
            lines[line - 1], lines[line] = lines[line], lines[line - 1]
            return "\n".join(lines)
        lines[line - 1 : line] = [] if new is None else new.split("\n")
        return "\n".join(lines)


Kind = Callable[[Text], Made]
KINDS: dict[str, Kind] = {}


def kind(make: Kind) -> Kind:
    KINDS[make.__name__.replace("_", " ")] = make
    return make


def mutants(text: str, wanted: str | None = None) -> Iterator[Mutant]:
    source = Text(text)
    for name, make in KINDS.items():
        if wanted in (None, name):
            for line, new, codes in make(source):
                yield Mutant(name, line, source.replaced(line, new), frozenset(codes.split()))


def _once(line: str, old: str, new: str) -> str:
    assert old in line
    return line.replace(old, new, 1)


# -- values and control flow ------------------------------------------------------------------------------------------


@kind
def an_earlier_carry_yielded(text: Text) -> Made:
    for op in text.ops:
        if op.name not in ("scf.for", "scf.while"):
            continue
        block = op.blocks[-1]
        carries = block.arguments[1:] if op.name == "scf.for" else block.arguments
        end = block.ops[-1] if block.ops else op
        values = end.group("values")
        for later in range(1, len(values)):
            if carries[0][1] == carries[later][1]:
                at = values[later].column - 1
                line = text.line(end)
                yield end.line, line[:at] + carries[0][0] + line[at + len(values[later].name) :], "carry-order"


@kind
def a_definition_dropped(text: Text) -> Made:
    used = {operand.name for op in text.ops for operand in op.operands}
    for op in text.ops:
        if not op.blocks and any(result in used for result in op.results):
            yield op.line, None, "dominance"


@kind
def a_definition_repeated(text: Text) -> Made:
    for op in text.ops:
        if op.results and not op.blocks:
            yield op.line, text.line(op) + "\n" + text.line(op), "redefined"


@kind
def a_type_changed(text: Text) -> Made:
    """One element type, dim, extent or layout in the text of an op."""
    for op in text.ops:
        line = text.line(op)
        for match in re.finditer(r"x(f32|f16|bf16|i32|i8)(?=[,>])", line):
            if op.name not in ("pto.alloc_tile", "pto.declare_local_array"):
                other = "i16" if match[1] != "i16" else "f32"
                yield op.line, line[: match.start(1)] + other + line[match.end(1) :], "type-clash element-differs"
        for match in re.finditer(r"<vec, (\d+)x", line):
            yield op.line, line[: match.start(1)] + str(2 * int(match[1])) + line[match.end(1) :], "type-clash"
        for match in re.finditer(r"(<vec, 1x[^<>]*)>", line):
            yield op.line, line[: match.end(1)] + ", pad=2" + line[match.end(1) :], "type-clash"


@kind
def an_operand_of_another_type(text: Text) -> Made:
    """Two operands of different types change places."""
    for op in text.ops:
        ins = op.group("ins") or op.group("arguments")
        for left, right in zip(ins, ins[1:]):
            if left.type != right.type:
                line = text.line(op)
                a, b = left.column - 1, right.column - 1
                swapped = line[:a] + right.name + line[a + len(left.name) : b] + left.name + line[b + len(right.name) :]
                yield op.line, swapped, "type-clash"


@kind
def the_kernel_of_another_kind(text: Text) -> Made:
    for function in text.module.functions:
        tiles = any(isinstance(type_, Tile) for op in walk(function.body) for type_ in op.result_types)
        line = text.lines[function.line - 1] if tiles else ""  # scalars and signals run on either core
        other = line.replace("<vector>", "<>").replace("<cube>", "<vector>").replace("<>", "<cube>")
        if other != line:
            yield function.line, other, "core pipe-core"


# -- attributes -------------------------------------------------------------------------------------------------------


@kind
def an_attribute_renamed(text: Text) -> Made:
    for op in text.ops:
        for name in {**op.attributes, **op.ins_attributes}:
            written = re.search(rf"\b{name} = ", text.line(op))
            if written and op.name not in ("pto.syncall",):
                yield op.line, _once(text.line(op), f"{name} = ", f"{name}s = "), "attribute-unknown"


@kind
def an_attribute_spelt_the_other_way(text: Text) -> Made:
    for op in text.ops:
        for match in re.finditer(r"#pto<(\w+) (\w+)>|#pto\.(\w+)<(\w+)>", text.line(op)):
            new = f"#pto.{match[1]}<{match[2]}>" if match[1] else f"#pto<{match[3]} {match[4]}>"
            yield op.line, _once(text.line(op), match.group(), new), "attribute-spelling"


@kind
def an_attribute_of_another_value(text: Text) -> Made:
    for op in text.ops:
        for match in re.finditer(r"#pto<\w+ (\w+)>|#pto\.\w+<(\w+)>", text.line(op)):
            value = match[1] or match[2]
            yield op.line, _once(text.line(op), match.group(), match.group().replace(value, value + "x")), "attribute-value"


# -- memory -----------------------------------------------------------------------------------------------------------


def _addresses(text: Text) -> Iterator[tuple[Op, list[Op]]]:
    """Each constant that is an address, with the allocations that have it."""
    for op in text.ops:
        users = [one for one in text.ops if one.name == "pto.alloc_tile" and one.group("addr") and one.group("addr")[0].name in op.results]
        if op.name == "arith.constant" and users:
            yield op, users


@kind
def an_address_moved(text: Text) -> Made:
    for op, _ in _addresses(text):
        value = op.attributes["value"]
        assert isinstance(value, int)
        for new, codes in ((value + 16, "address-alignment"), (-512, "address-negative"), (value + (512 << 10), "capacity")):
            yield op.line, re.sub(r"constant -?\d+", f"constant {new}", text.line(op)), codes


@kind
def an_address_of_another_live_tile(text: Text) -> Made:
    """Of a tile that is written before this one is read, after this one was written; outside loops and branches."""
    found = list(_addresses(text))
    top = [op for function in text.module.functions for op in (function.body.ops if function.body else [])]
    for op, users in found:
        for other, others in found:
            if other is not op and any(_clash(top, one, two) or _clash(top, two, one) for one in users for two in others):
                value = other.attributes["value"]
                yield op.line, re.sub(r"constant -?\d+", f"constant {value}", text.line(op)), "overlap scratch-overlap in-place"


def _clash(ops: list[Op], kept: Op, other: Op) -> bool:
    """True when `kept` is written, then `other`, then `kept` is read."""
    if not isinstance(kept.result_types[0], Tile) or getattr(other.result_types[0], "space", "") != kept.result_types[0].space:
        return False
    steps = ""
    for op in ops:
        for group, word in ((op.group("ins"), "r"), (op.group("outs"), "w")):
            for operand in group:
                if operand.name == kept.results[0]:
                    steps += word
                elif operand.name == other.results[0] and word == "w":
                    steps += "o"
    return re.search("wr*or", steps) is not None


@kind
def an_address_left_out(text: Text) -> Made:
    for op in text.ops:
        if op.name == "pto.alloc_tile" and op.group("addr"):
            yield op.line, re.sub(r"addr = %\w+ ", "", text.line(op)), "address-missing"


@kind
def scratch_that_is_the_source(text: Text) -> Made:
    for op in text.ops:
        ins = op.group("ins")
        if re.search(r"trow(sum|max|min|prod|arg)|tcolarg|ttrans|txor$", op.name) and len(ins) > 1 and ins[-1].type == ins[0].type:
            at = ins[-1].column - 1
            line = text.line(op)
            yield op.line, line[:at] + ins[0].name + line[at + len(ins[-1].name) :], "scratch-overlap"


@kind
def scratch_left_out(text: Text) -> Made:
    for op in text.ops:
        ins = op.group("ins")
        if op.name == "pto.tgather" and len(ins) == 3:
            line = text.line(op).replace(f", {ins[2].name} :", " :").replace(f"{ins[1].type}, {ins[2].type})", f"{ins[1].type})")
            yield op.line, line, "operands"


@kind
def the_result_over_the_source(text: Text) -> Made:
    for op in text.ops:
        ins, outs = op.group("ins"), op.group("outs")
        alone = ("pto.trecip", "pto.tands", "pto.tors", "pto.txors", "pto.ttrans", "pto.tgather", "pto.tgatherb", "pto.tscatter")
        if op.name in alone and outs and ins[0].type == outs[0].type:
            at = outs[0].column - 1
            line = text.line(op)
            yield op.line, line[:at] + ins[0].name + line[at + len(outs[0].name) :], "in-place"


# -- regions and views ------------------------------------------------------------------------------------------------


@kind
def a_layout_turned(text: Text) -> Made:
    for op in text.ops:
        line = text.line(op)
        if op.name == "pto.make_tensor_view":
            other = line.replace("<nd>", "<>").replace("<dn>", "<nd>").replace("<>", "<dn>")
            yield op.line, other, "view-layout view-direction"


@kind
def a_stride_changed(text: Text) -> Made:
    """The first stride of a constant view becomes that of its elements."""
    constants = {op.results[0]: op.attributes["value"] for op in text.ops if op.name == "arith.constant"}
    for op in text.ops:
        strides, shape = op.group("strides"), op.group("shape")
        if len(strides) == 2 and all(operand.name in constants for operand in strides + shape) and strides[0].name != "%c1":
            if constants[shape[0].name] != 1 and constants[shape[1].name] != 1:
                line = text.line(op)
                at = strides[0].column - 1
                yield op.line, line[:at] + "%c1" + line[at + len(strides[0].name) :], "view-strides"


@kind
def a_region_size_changed(text: Text) -> Made:
    constants = {op.results[0]: op.attributes["value"] for op in text.ops if op.name == "arith.constant"}
    for op in text.ops:
        for operand in op.group("sizes") if op.name == "pto.partition_view" else ():
            for name, value in sorted(constants.items()):
                type_ = next(one.result_types[0] for one in text.ops if one.results == (name,))
                if type_ == Scalar("index") and value != constants.get(operand.name) and value != 0:
                    line = text.line(op)
                    at = operand.column - 1
                    yield op.line, line[:at] + name + line[at + len(operand.name) :], "view-sizes region-extent copy-shape dominance bounds"
                    break


@kind
def a_valid_extent_not_set(text: Text) -> Made:
    for op in text.ops:
        if op.name == "pto.set_validshape":
            yield op.line, None, "region-extent extent-differs extent-lost"


# -- pipes ------------------------------------------------------------------------------------------------------------


@kind
def a_free_removed(text: Text) -> Made:
    for op in text.ops:
        if op.name in FREES:
            yield op.line, None, "pipe-free"


@kind
def a_free_repeated(text: Text) -> Made:
    for op in text.ops:
        if op.name in FREES:
            yield op.line, text.line(op) + "\n" + text.line(op), "pipe-free"


@kind
def a_free_before_the_last_use(text: Text) -> Made:
    for op in text.ops:
        if op.name in FREES and "tfree" not in text.lines[op.line - 2]:
            yield op.line - 1, EXCHANGED, "pipe-free-early"


@kind
def a_split_changed(text: Text) -> Made:
    for op in text.ops:
        if op.name in FREES or op.name in POPS or op.name in PUSHES:
            split = op.attributes["split"]
            for other in {0, 1, 2, 5} - {split}:
                yield op.line, _once(text.line(op), f"split = {split}", f"split = {other}"), (
                    "pipe-split-halves pipe-split-mixed pipe-split pipe-nosplit")


@kind
def a_pipe_setup_changed(text: Text) -> Made:
    for op in text.ops:
        if op.name.endswith("initialize_pipe"):
            line = text.line(op)
            yield op.line, re.sub(r"slot_size = \d+", "slot_size = 2048", line), "pipe-halves pipe-size pipe-slot"
            yield op.line, re.sub(r"\bid = \d+", "id = 5", line), "pipe-halves pipe-id"
            yield op.line, re.sub(r"dir_mask = \d", "dir_mask = 2", line), "pipe-halves pipe-direction pipe-buffer"
            yield op.line, re.sub(r"dir_mask = \d", "dir_mask = 4", line), "pipe-mask"
            yield op.line, re.sub(r"gm_slot_buffer = %\w+ : [^,]*, ", "", line), "pipe-workspace"
            yield op.line, None, "pipe-id"


@kind
def a_buffer_resized(text: Text) -> Made:
    for op in text.ops:
        if op.name == "pto.reserve_buffer":
            size = op.attributes["size"]
            assert isinstance(size, int)
            for other in (size // 2, size + 256):
                yield op.line, _once(text.line(op), f"size = {size}", f"size = {other}"), "pipe-size"
            where = re.search(r"<(vec|mat)>", text.line(op))
            assert where
            yield op.line, _once(text.line(op), where.group(), "<mat>" if where[1] == "vec" else "<vec>"), "pipe-location"


@kind
def a_push_or_pop_removed(text: Text) -> Made:
    for op in text.ops:
        if op.name in PUSHES or op.name in POPS:
            yield op.line, None, "pipe-traffic dominance"


@kind
def a_shard_changed(text: Text) -> Made:
    for op in text.ops:
        if op.name == "pto.addptr":
            users = [one for one in text.ops if any(o.name in op.results for o in one.group("gm_slot_buffer"))]
            if users:
                line = text.line(op)
                offset = op.group("offset")[0]
                at = offset.column - 1
                yield op.line, line[:at] + "%c1" + line[at + len(offset.name) :], "pipe-workspace"


# -- order ------------------------------------------------------------------------------------------------------------


@kind
def a_fence_dropped(text: Text) -> Made:
    for op in text.ops:
        if op.name == "pto.fence.barrier_all":
            yield op.line, None, "fence-missing"


@kind
def a_cache_operation_dropped(text: Text) -> Made:
    for op in text.ops:
        if op.name == "pto.cmo.cacheinvalid":
            yield op.line, None, "cache-stale cache-unwritten"


@kind
def a_fence_and_a_notify_exchanged(text: Text) -> Made:
    for op in text.ops:
        if op.name == "pto.comm.tnotify" and "barrier_all" in text.lines[op.line - 2]:
            yield op.line - 1, EXCHANGED, "fence-missing"


@kind
def a_flag_dropped(text: Text) -> Made:
    for op in text.ops:
        if op.name in ("pto.set_flag", "pto.wait_flag"):
            yield op.line, None, "flag"

