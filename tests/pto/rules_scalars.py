"""Scalar ops, constants, local arrays, and the order in which loops copy what they carry."""

from __future__ import annotations

import math
from collections.abc import Callable

from facts import Facts, scalar_name
from fold import rounded
from model import ELEMENT_BYTES, INDEX, LocalArray, Op, Operand, Scalar, Type, Vector

INTEGERS = ("i1", "i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32")
FLOAT_OPS = ("addf", "subf", "mulf", "divf", "remf", "negf", "maximumf", "minimumf")
CMPI = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
CMPF = ("oeq", "une", "olt", "ole", "ogt", "oge")


def check(facts: Facts) -> None:
    for op in facts.all_ops():
        dialect, _, name = op.name.partition(".")
        if dialect == "math":
            facts.fault(op, "scalar-math", "math ops on scalars are not lowered")
        elif dialect == "arith":
            _arith(facts, op, name)
        elif op.name == "scf.for":
            _bounds(facts, op)
            _carries(facts, op, 0, "scf.yield")
        elif op.name == "scf.while":
            _carries(facts, op, 0, "scf.condition")
            _carries(facts, op, 1, "scf.yield")
        if op.name.startswith("scf."):
            _no_buffers(facts, op)
        if "local_array" in op.name:
            _local_array(facts, op)


def _width(type_: Type | None) -> int:
    name = type_.name if isinstance(type_, Scalar) else ""
    return 1 if name == "i1" else 8 * ELEMENT_BYTES.get(name, 0)


def _wants(facts: Facts, op: Op, type_: Type | None, allowed: tuple[str, ...]) -> bool:
    if isinstance(type_, Scalar) and type_.name in allowed:
        return True
    facts.fault(op, "scalar-type", f"{op.name} works on {', '.join(allowed)}, {type_} found")
    return False


def _arith(facts: Facts, op: Op, name: str) -> None:
    result = op.result_types[0]
    source = op.operands[0].type if op.operands else None
    if name == "constant":
        _constant(facts, op)
        return
    if name == "addf":
        facts.fault(op, "scalar-addf", "arith.addf cannot be lowered; write `a - (-b)` with negf and subf")
    if name in ("cmpi", "cmpf"):
        allowed = CMPI if name == "cmpi" else CMPF
        if op.attributes["predicate"] not in allowed:
            facts.fault(op.places["predicate"], "scalar-predicate",
                        f"unknown predicate `{op.attributes['predicate']}`, expected one of {', '.join(allowed)}")
        _wants(facts, op, source, INTEGERS + ("index",) if name == "cmpi" else FLOATS)
    elif name == "select":
        _wants(facts, op, result, INTEGERS + ("index",) + FLOATS)
    elif name in CASTS:
        CASTS[name](facts, op, source, result)
    elif name in FLOAT_OPS:
        _wants(facts, op, result, FLOATS)
    else:
        _wants(facts, op, result, INTEGERS + ("index",))
    number = facts.results[id(op)][0].number
    value = facts.constant_of(number)
    if isinstance(value, float) and not math.isfinite(value):
        facts.fault(op, "scalar-infinite", f"{op.name} folds to {value}, which is printed as broken C++")


def _constant(facts: Facts, op: Op) -> None:
    value, type_ = op.attributes["value"], op.result_types[0]
    if isinstance(type_, Vector):
        if type_ != Vector((4,), "i16"):
            facts.fault(op, "scalar-type", f"the only vector of the dialect is vector<4xi16>, {type_} found")
        return
    if not _wants(facts, op, type_, INTEGERS + ("index",) + FLOATS) or not isinstance(type_, Scalar):
        return
    if isinstance(value, float):
        if not math.isfinite(rounded(value, type_.name)):
            facts.fault(op.places["value"], "scalar-infinite", f"the constant {value} is not a finite {type_.name}")
    elif isinstance(value, int) and type_.name != "i1":
        bits = 64 if type_.name == "index" else _width(type_)
        if not -(1 << bits - 1) <= value < 1 << bits:
            facts.fault(op.places["value"], "scalar-range", f"{value} does not fit into {type_.name}")
    elif type_.name == "i1" and value not in (True, False):
        facts.fault(op.places["value"], "scalar-range", f"{value} does not fit into i1")


def _between(facts: Facts, op: Op, source: Type | None, result: Type, from_: tuple[str, ...], to: tuple[str, ...], wider: int) -> None:
    """Casts from `from_` to `to`; `wider` is 1 when the result must be wider, -1 when narrower, 0 when either."""
    if _wants(facts, op, source, from_) and not (isinstance(result, Scalar) and result.name in to):
        facts.fault(op, "scalar-type", f"{op.name} returns {', '.join(to)}, {result} found")
    elif wider and isinstance(source, Scalar) and (_width(result) - _width(source)) * wider <= 0:
        facts.fault(op, "scalar-width", f"{op.name} must return a {'wider' if wider > 0 else 'narrower'} type, {source} to {result} found")


def _index_cast(facts: Facts, op: Op, source: Type | None, result: Type) -> None:
    if (source == INDEX) == (result == INDEX):
        facts.fault(op, "scalar-type", f"{op.name} casts between index and an integer, {source} to {result} found")
    else:
        _wants(facts, op, source, INTEGERS + ("index",))
        _wants(facts, op, result, INTEGERS + ("index",))


def _bitcast(facts: Facts, op: Op, source: Type | None, result: Type) -> None:
    known = _wants(facts, op, source, INTEGERS + FLOATS) and _wants(facts, op, result, INTEGERS + FLOATS)
    if known and _width(source) != _width(result):
        facts.fault(op, "scalar-width", f"arith.bitcast keeps the width, {source} to {result} found")


CASTS: dict[str, Callable[[Facts, Op, Type | None, Type], None]] = {
    "index_cast": _index_cast,
    "index_castui": _index_cast,
    "bitcast": _bitcast,
    "extsi": lambda f, op, a, b: _between(f, op, a, b, INTEGERS, INTEGERS, 1),
    "extui": lambda f, op, a, b: _between(f, op, a, b, INTEGERS, INTEGERS, 1),
    "trunci": lambda f, op, a, b: _between(f, op, a, b, INTEGERS, INTEGERS, -1),
    "extf": lambda f, op, a, b: _between(f, op, a, b, FLOATS, FLOATS, 1),
    "truncf": lambda f, op, a, b: _between(f, op, a, b, FLOATS, FLOATS, -1),
    "sitofp": lambda f, op, a, b: _between(f, op, a, b, INTEGERS, FLOATS, 0),
    "uitofp": lambda f, op, a, b: _between(f, op, a, b, INTEGERS, FLOATS, 0),
    "fptosi": lambda f, op, a, b: _between(f, op, a, b, FLOATS, INTEGERS, 0),
    "fptoui": lambda f, op, a, b: _between(f, op, a, b, FLOATS, INTEGERS, 0),
}


def _bounds(facts: Facts, op: Op) -> None:
    kind = scalar_name(op.group("lower")[0])
    if kind not in ("index", "i64"):
        facts.fault(op, "loop-type", f"a loop counts in index or i64, {kind or op.operands[0].type} found")
    step = facts.integer(op.group("step")[0])
    if step is not None and step <= 0:
        facts.fault(op.group("step")[0], "loop-step", f"the step of a loop must be positive, {step} found")


def _no_buffers(facts: Facts, op: Op) -> None:
    for type_ in op.result_types:
        if not isinstance(type_, Scalar):
            facts.fault(op, "carried-type", f"{op.name} returns scalars; tiles and views are not carried, {type_} found")


def _carries(facts: Facts, op: Op, block: int, end: str) -> None:
    """Carries are copied one after the other: operand j may be carry i only when i >= j."""
    carries = facts.arguments.get(id(op.blocks[block]), [])
    if op.name == "scf.for":
        carries = carries[1:]
    last = op.blocks[block].ops[-1] if op.blocks[block].ops else None
    if last is None or last.name != end:
        return
    # A carry that never changes has the number of its initial value, which others may have too.
    initial = {facts.number(operand) for operand in op.group("carries")}
    numbers = {carry.number: position for position, carry in enumerate(carries) if carry.number not in initial}
    names = {carry: position for position, carry in enumerate(carries)}
    for position, operand in enumerate(last.group("values")):
        found = facts.definition(operand)
        earlier = names.get(found, numbers.get(found.number, position)) if found else position
        if earlier < position:
            facts.fault(operand, "carry-order", f"`{operand.name}` is carry {earlier}, overwritten before it is copied to carry "
                        f"{position}; save the old value in a local array")


def _local_array(facts: Facts, op: Op) -> None:
    array = op.result_types[0] if op.name == "pto.declare_local_array" else op.group("array")[0].type
    if not isinstance(array, LocalArray):
        facts.fault(op, "local-array", f"{op.name} works on a local array, {array} found")
        return
    if array.element not in ("i8", "i16", "i32", "i64") or any(dim is None or dim == 0 for dim in array.dims):
        facts.fault(op, "local-array", f"a local array has static dims and integer elements, {array} found")
        return
    if op.name == "pto.declare_local_array":
        return
    indices: tuple[Operand, ...] = op.group("index")
    if len(indices) != len(array.dims):
        facts.fault(op, "local-array", f"{len(array.dims)} indices expected, {len(indices)} found")
    for dim, operand in zip(array.dims, indices):
        value = facts.integer(operand)
        if value is not None and not 0 <= value < (dim or 0):
            facts.fault(operand, "bounds", f"index {value} is outside an array of {dim}")
    found = op.result_types[0] if op.result_types else op.group("value")[0].type
    if found != Scalar(array.element):
        facts.fault(op, "local-array", f"an element of {array} is {array.element}, {found} found")
