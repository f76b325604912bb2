"""The module's attributes, functions, their parameters and kinds, calls, and where blocks end."""

from __future__ import annotations

from facts import Facts, kind_of
from model import UNIT, Block, Enum, Function, Op, Ptr, Scalar, Tile, Type

PARAMETERS = ("i1", "i8", "i16", "i32", "i64", "index", "f16", "bf16", "f32")
KIND = "pto.kernel_kind"


def is_entry(function: Function) -> bool:
    return "pto.entry" in function.attributes


def check(facts: Facts) -> None:
    arch = facts.module.attributes.get("pto.target_arch")
    if arch != "a3":
        found = "none" if arch is None else repr(arch)
        facts.fault((1, 1), "module-arch", f'the module must say pto.target_arch = "a3", {found} found')
    for name in facts.module.attributes:
        if name != "pto.target_arch":
            facts.fault((1, 1), "attribute-unknown", f"unknown attribute `{name}` of the module")
    for function in facts.module.functions:
        _function(facts, function)
    for function in facts.module.functions:
        if function.body:
            _terminated(facts, function.body, function, None)
    for op in facts.all_ops():
        if op.name == "func.call":
            _call(facts, op)
    _recursion(facts)


def _function(facts: Facts, function: Function) -> None:
    for name, value in function.attributes.items():
        if name == "pto.entry":
            if value != UNIT:
                facts.fault(function, "attribute-value", "pto.entry takes no value")
        elif name == KIND:
            if not isinstance(value, Enum) or value.kind != "kernel_kind" or not value.dotted:
                facts.fault(function, "attribute-spelling", f"{KIND} is written #pto.kernel_kind<cube> or <vector>")
            elif kind_of(function) is None:
                facts.fault(function, "attribute-value", f"unknown kernel kind `{value.value}`, expected cube or vector")
        else:
            facts.fault(function, "attribute-unknown", f"unknown attribute `{name}` of a function")
    entry = is_entry(function)
    if entry and function.body is None:
        facts.fault(function, "entry-body", "pto.entry needs a function with a body")
    elif function.body is None:
        facts.fault(function, "declaration", f"@{function.name} has no body")
    if entry and function.private:
        facts.fault(function, "entry-private", "an entry function is not private")
    if not entry and not function.private:
        facts.fault(function, "entry-missing", f"@{function.name} is neither an entry nor a private helper")
    if entry and function.results:
        facts.fault(function, "entry-result", "an entry function returns nothing")
    if entry and KIND not in function.attributes:
        facts.fault(function, "entry-kind", f"an entry function says its {KIND}")
    for name, type_ in function.parameters:
        if not _passes(type_, tiles=not entry):
            what = "a pointer or a scalar" if entry else "a pointer, a scalar or a tile"
            facts.fault(function, "parameter-type", f"parameter `{name}` must be {what}, {type_} found")
    for type_ in function.results:
        if not isinstance(type_, Scalar) or type_.name not in PARAMETERS:
            facts.fault(function, "result-type", f"a helper returns scalars, {type_} found")


def _passes(type_: Type, tiles: bool) -> bool:
    if isinstance(type_, Scalar):
        return type_.name in PARAMETERS
    return isinstance(type_, Ptr) or (tiles and isinstance(type_, Tile))


# What the last op of each block of an op must be; blocks whose `scf.yield` may be left out are not here.
ENDS = {"scf.for": ("scf.yield",), "scf.if": ("scf.yield", "scf.yield"), "scf.while": ("scf.condition", "scf.yield")}


def _terminated(facts: Facts, block: Block, function: Function, parent: Op | None, position: int = 0) -> None:
    """Checks that each block ends as its op asks, with the values that the op returns, and nowhere before."""
    end = "func.return" if parent is None else ENDS[parent.name][position]
    expected: tuple[Type, ...]
    if parent is None:
        expected = function.results
    elif parent.name == "scf.while" and position == 1:
        expected = tuple(type_ for _, type_ in parent.blocks[0].arguments)
    else:
        expected = parent.result_types
    last = block.ops[-1] if block.ops else None
    ends = ("func.return", "scf.yield", "scf.condition")
    for op in block.ops:
        if op.name in ends and (op is not last or op.name != end):
            facts.fault(op, "block-end", f"{op.name} must be the last op of its block and belong there, {end} expected at the end")
    if last is None or last.name != end:
        if end != "scf.yield" or expected:
            facts.fault(parent or function, "block-end", f"the block must end in {end}")
    elif [operand.type for operand in last.group("values")] != list(expected):
        found = ", ".join(str(operand.type) for operand in last.group("values")) or "nothing"
        wanted = ", ".join(map(str, expected)) or "nothing"
        facts.fault(last, "yield-type", f"{end} passes {found}, {wanted} expected")
    for op in block.ops:
        if op.name == "scf.if" and op.result_types and len(op.blocks) != 2:
            facts.fault(op, "block-end", "scf.if with results needs an else")
        if op.name == "scf.while" and tuple(type_ for _, type_ in op.blocks[1].arguments) != op.result_types:
            facts.fault(op, "yield-type", "the block after `do` takes what scf.while returns")
        for index, inner in enumerate(op.blocks):
            _terminated(facts, inner, function, op, index)


def _call(facts: Facts, op: Op) -> None:
    symbol = op.attributes["callee"]
    callee = facts.callee(op)
    if callee is None:
        facts.fault(op.places["callee"], "call-unknown", f"the callee @{getattr(symbol, 'name', '')} does not exist")
        return
    if is_entry(callee):
        facts.fault(op, "call-entry", f"@{callee.name} is an entry function; only private helpers are called")
    expected = [type_ for _, type_ in callee.parameters]
    found = [operand.type for operand in op.group("arguments")]
    if found != expected or op.result_types != callee.results:
        facts.fault(op, "call-type", f"the types of the call are not those of @{callee.name}")
    kind = kind_of(callee)
    for caller in facts.kinds(facts.owners[id(op)]):
        if kind and caller != kind:
            facts.fault(op, "core", f"a {caller} function calls @{callee.name}, which is a {kind} function")


def _recursion(facts: Facts) -> None:
    calls: dict[str, list[tuple[Op, str]]] = {function.name: [] for function in facts.module.functions}
    for op in facts.all_ops():
        callee = facts.callee(op) if op.name == "func.call" else None
        if callee:
            calls[facts.owners[id(op)].name].append((op, callee.name))
    # A function is finished once everything it calls is; what never finishes calls itself.
    finished: set[str] = set()
    changed = True
    while changed:
        ready = {name for name, made in calls.items() if name not in finished and all(callee in finished for _, callee in made)}
        changed = bool(ready)
        finished |= ready
    for caller, made in calls.items():
        for op, called in made:
            if caller not in finished and called not in finished:
                facts.fault(op, "recursion", f"@{caller} calls itself through @{called}")
