"""Signals, remote copies, fences, caches, and the synchronisation of all blocks of a launch."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from execute_core import Core, Steps, Wait, steps
from execute_fault import Problem
from execute_memory import Region
from execute_moves import ViewValue, atomic_of
from execute_tiles import NUMPY, TileValue
from model import Enum, Op

COMPARE = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}


def cell_of(core: Core, op: Op) -> tuple[Any, Region, int, int]:
    """The addresses of a signal, and where it lies."""
    view: ViewValue = core.one(op, "signal")
    if view.element != "i32":
        raise Problem("type", f"a signal has elements i32, not {view.element}")
    addresses = view.addresses()
    low, high = int(addresses.min()), int(addresses.max()) + 4
    region = core.machine.memory.locate(low, high, core.rank)
    return addresses, region, low - region.base, high - region.base


def own_cell_of(core: Core, op: Op) -> tuple[Any, Region, int, int]:
    found = cell_of(core, op)
    if found[1].rank != core.rank:
        raise Problem("signal", f"{op.name} of a cell of {found[1].name} on rank {found[1].rank}; only that rank may look at it")
    return found


def enum_of(op: Op, name: str, allowed: tuple[str, ...]) -> str:
    value = op.attributes.get(name)
    if not isinstance(value, Enum) or value.value not in allowed:
        raise Problem("operands", f"{op.name} takes {name} = {', '.join(allowed)}")
    return value.value


@steps("comm.tnotify")
def notify(core: Core, op: Op) -> Steps:
    addresses, *_ = cell_of(core, op)
    value = np.full(addresses.shape, core.one(op, "value"), np.int32)
    core.port.store(addresses, "i32", value, add=enum_of(op, "notifyOp", ("set", "atomic_add")) == "atomic_add", notify=True)
    return None
    yield


def seen_in(core: Core, region: Region, addresses: Any) -> Any:
    """The cells as they are in memory: neither the cache nor what is pending elsewhere is asked."""
    return region.data.view(np.int32)[(addresses - region.base) // 4]


@steps("comm.twait")
def wait(core: Core, op: Op) -> Steps:
    addresses, region, low, high = own_cell_of(core, op)
    value, name = core.one(op, "value"), enum_of(op, "cmp", tuple(COMPARE))
    core.port.land_own(region, low, high)

    def text() -> str:
        found = seen_in(core, region, addresses).ravel().tolist()
        return f"{region.name}[{low // 4}] {name} {value}, the cell is {found[0] if len(found) == 1 else found}"

    yield Wait(lambda: bool(COMPARE[name](seen_in(core, region, addresses), value).all()), text)
    return None


@steps("comm.ttest")
def test(core: Core, op: Op) -> Steps:
    addresses, region, low, high = own_cell_of(core, op)
    core.port.land_own(region, low, high)
    compare = COMPARE[enum_of(op, "cmp", tuple(COMPARE))]
    holds = bool(compare(seen_in(core, region, addresses), core.one(op, "value")).all())
    core.machine.count_step()
    return int(holds)
    yield


@steps("fence.barrier_all")
def fence(core: Core, op: Op) -> Steps:
    enum_of(op, "scope", ("gm", "all"))
    core.port.end_loads()
    while core.port.pending:
        core.port.land(core.machine.chance.choice(core.port.can_land()))
        yield None
    return None


@steps("cmo.cacheinvalid")
def invalidate(core: Core, op: Op) -> Steps:
    views = core.values(op, "view")
    if views:
        core.port.drop_line(views[0].address)
    else:
        core.port.drop_all()
    return None
    yield


def check_staging(tile: TileValue, sizes: tuple[int, int], element: str, op: Op) -> None:
    if tile.type.space != "vec" or tile.element != element or tile.type.blayout != "row_major":
        raise Problem("type", f"{op.name} stages {element} in a row_major vec tile, {tile.name} is {tile.type}")
    for size, valid, whole in zip(sizes, tile.type.valid, (tile.type.rows, tile.type.cols)):
        if valid is not None and valid and size % valid and size > valid:
            raise Problem("extent", f"the extents {sizes} are not a whole number of {tile.type.valid}, the valid extent of {tile.name}")
    tile.extent  # raises when it is not known


@steps("comm.tput", "comm.tget")
def copy(core: Core, op: Op) -> Steps:
    target, source = core.one(op, "dst"), core.one(op, "src")
    if target.element != source.element or target.sizes != source.sizes:
        raise Problem("type", f"{op.name} copies {source.sizes} of {source.element} to {target.sizes} of {target.element}")
    staging = core.values(op, "buf")
    if not 1 <= len(staging) <= 2:
        raise Problem("operands", f"{op.name} takes one or two staging tiles, {len(staging)} given")
    to, at = target.addresses(), source.addresses()
    for tile in staging:
        check_staging(tile, to.shape, target.element, op)
        tile.forget()
    if len(staging) == 2 and staging[0].overlaps(staging[1]):
        raise Problem("overlap", f"the staging tiles {staging[0].name} and {staging[1].name} share bytes")
    add = op.name == "pto.comm.tput" and atomic_of(op, target.element)
    values = core.port.load(at, source.element)
    yield None
    core.port.store(to, target.element, values.view(NUMPY[target.element]), add=add)
    return None


@steps("syncall")
def sync_all(core: Core, op: Op) -> Steps:
    """Waits until all cores of that type in this launch have come here as often. What is pending stays pending."""
    type_ = enum_of(op, "core_type", ("aiv_only", "aic_only", "mix"))
    kinds = {"aiv_only": ("vector",), "aic_only": ("cube",), "mix": ("cube", "vector")}[type_]
    if core.kind not in kinds:
        raise Problem("operands", f"a {core.kind} core in a synchronisation of {type_}")
    if enum_of(op, "mode", ("hard", "soft")) == "soft" and not op.group("workspace"):
        raise Problem("operands", "a soft synchronisation takes a workspace")
    count = core.arrivals[type_] = core.arrivals.get(type_, 0) + 1
    others = [one for one in core.launch.cores if one.kind in kinds]

    def missing() -> list[Core]:
        return [one for one in others if one.arrivals.get(type_, 0) < count]

    yield Wait(lambda: not missing(), lambda: "all blocks, missing " + "; ".join(str(one) for one in missing()))
    return None
