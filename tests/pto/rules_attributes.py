"""Which attributes each op has, where they are written, how, and with which values.

The assembler keeps an attribute of an unknown name and ignores it, so each name is checked here.
"""

from __future__ import annotations

from dataclasses import dataclass

from facts import Facts
from model import Enum, Op, Symbol, Value
from pto_forms import TILE_OPS

DOTTED = {
    "layout": ("nd", "dn", "nz"),
    "address_space": ("gm", "vec", "mat", "left", "right", "acc", "bias", "scaling"),
    "pipe": ("PIPE_S", "PIPE_V", "PIPE_M", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_FIX", "PIPE_ALL"),
    "event": tuple(f"EVENT_ID{i}" for i in range(8)),
    "fence_scope": ("gm", "all", "local_memory"),
    "sync_all_mode": ("hard", "soft"),
    "sync_core_type": ("aiv_only", "aic_only", "mix"),
    "mask_pattern": ("P0101", "P1010"),
}
SPACED = {
    "notify_op": ("set", "atomic_add"),
    "wait_cmp": ("eq", "ne", "gt", "ge", "lt", "le"),
    "atomic_type": ("atomic_none", "atomic_add"),
    "round_mode": ("NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD", "CAST_RINT"),
    "saturation_mode": ("ON", "OFF"),
    "cmp": ("eq", "ne", "lt", "le", "gt", "ge"),
}


@dataclass(frozen=True)
class Attribute:
    """`kind`: an enumeration, "int", "bool", "str" or "symbol"."""

    kind: str
    required: bool = True
    inside: bool = False  # written inside ins(...)


_PUSH = {"id": Attribute("int"), "split": Attribute("int")}
_PIPE = {
    "id": Attribute("int"), "dir_mask": Attribute("int"), "slot_size": Attribute("int"), "slot_num": Attribute("int", False),
    "local_slot_num": Attribute("int", False), "nosplit": Attribute("bool", False),
}
_FLAG = {"from": Attribute("pipe"), "to": Attribute("pipe"), "event": Attribute("event")}
_COMPARE = {"cmpMode": Attribute("cmp", inside=True)}
_ATOMIC = {"atomicType": Attribute("atomic_type", False)}
ATTRIBUTES: dict[str, dict[str, Attribute]] = {
    "pto.make_tensor_view": {"layout": Attribute("layout")},
    "pto.tstore": _ATOMIC,
    "pto.comm.tput": _ATOMIC,
    "pto.tcmp": _COMPARE,
    "pto.tcmps": _COMPARE,
    "pto.tcvt": {"rmode": Attribute("round_mode", inside=True), "sat_mode": Attribute("saturation_mode", False, inside=True)},
    "pto.tcolsum": {"isBinary": Attribute("bool", False, inside=True)},
    "pto.tgather": {"maskPattern": Attribute("mask_pattern", False, inside=True)},
    "pto.tci": {"descending": Attribute("bool", False)},
    "pto.tmrgsort": {"exhausted": Attribute("bool", False, inside=True)},
    "pto.comm.tnotify": {"notifyOp": Attribute("notify_op")},
    "pto.comm.twait": {"cmp": Attribute("wait_cmp")},
    "pto.comm.ttest": {"cmp": Attribute("wait_cmp")},
    "pto.reserve_buffer": {"name": Attribute("str"), "size": Attribute("int"), "location": Attribute("address_space"),
                           "auto": Attribute("bool"), "base": Attribute("int", False)},
    "pto.import_reserved_buffer": {"name": Attribute("str"), "peer_func": Attribute("symbol")},
    "pto.aic_initialize_pipe": _PIPE,
    "pto.aiv_initialize_pipe": _PIPE,
    "pto.tpush_to_aiv": _PUSH,
    "pto.tpush_to_aic": _PUSH,
    "pto.tpop_from_aic": _PUSH,
    "pto.tpop_from_aiv": _PUSH,
    "pto.tfree_from_aic": _PUSH,
    "pto.tfree_from_aiv": _PUSH,
    "pto.cmo.cacheinvalid": {"space": Attribute("address_space", False)},
    "pto.fence.barrier_all": {"scope": Attribute("fence_scope")},
    "pto.syncall": {"mode": Attribute("sync_all_mode"), "core_type": Attribute("sync_core_type")},
    "pto.barrier": {"pipe": Attribute("pipe")},
    "pto.set_flag": _FLAG,
    "pto.wait_flag": _FLAG,
}
# Attributes that are not written as `name = value`: the parser made them.
UNWRITTEN = {"arith.constant": {"value"}, "arith.cmpi": {"predicate"}, "arith.cmpf": {"predicate"}, "func.call": {"callee"},
             "pto.subview": {"sizes"}, "pto.cmo.cacheinvalid": {"single_cache_line"}, "pto.print": {"format"},
             "pto.tgather": {"axis"}}


def check(facts: Facts) -> None:
    for op in facts.all_ops():
        expected = ATTRIBUTES.get(op.name, {})
        for inside, found in ((True, op.ins_attributes), (False, op.attributes)):
            for name, value in found.items():
                if not inside and name in UNWRITTEN.get(op.name, ()):
                    continue
                _one(facts, op, name, value, expected.get(name), inside)
        for name, attribute in expected.items():
            if attribute.required and name not in op.attributes and name not in op.ins_attributes:
                facts.fault(op, "attribute-missing", f"{op.name} needs the attribute `{name}`")


def _one(facts: Facts, op: Op, name: str, value: Value, expected: Attribute | None, inside: bool) -> None:
    place = op.places.get(name, (op.line, op.column))
    if expected is None:
        facts.fault(place, "attribute-unknown", f"unknown attribute `{name}` of {op.name}")
        return
    if expected.inside != inside and op.name in TILE_OPS:
        where = "inside ins, after the operands" if expected.inside else "after outs"
        facts.fault(place, "attribute-place", f"`{name}` of {op.name} belongs {where}")
    simple = {"int": int, "bool": bool, "str": str, "symbol": Symbol}
    if expected.kind in simple:
        if not isinstance(value, simple[expected.kind]) or (expected.kind == "int" and isinstance(value, bool)):
            facts.fault(place, "attribute-value", f"`{name}` must be {_what(expected.kind)}")
        return
    dotted = expected.kind in DOTTED
    form = f"#pto.{expected.kind}<...>" if dotted else f"#pto<{expected.kind} ...>"
    if not isinstance(value, Enum) or value.kind != expected.kind or value.dotted != dotted:
        facts.fault(place, "attribute-spelling", f"`{name}` is written {form}")
        return
    allowed = (DOTTED if dotted else SPACED)[expected.kind]
    if value.value not in allowed:
        facts.fault(place, "attribute-value", f"unknown {expected.kind} `{value.value}`, expected one of {', '.join(allowed)}")


def _what(kind: str) -> str:
    return {"int": "an integer", "bool": "true or false", "str": "a text in quotes", "symbol": "a function such as @f"}[kind]
