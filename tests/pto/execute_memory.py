"""Global memory: regions at addresses, stores that land late, and the cache of scalar accesses.

A store is first pending at the core that made it: that core reads its own pending stores, everybody else sees them
when they land. Stores of one core to other bytes land in any order. A notify is pending too; those of one core to one
rank land in order. A fence lands all that is pending. A load of a tile may look at memory as late as the core uses the tile.

Scalar loads and stores go through a cache of the core. A line stays as it was fetched, a store stays in its line,
until the line is dropped; tile loads and stores see neither.
"""

from __future__ import annotations

import bisect
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np

from execute_fault import Problem
from execute_tiles import NUMPY, POISON, Arrival, Memory

Array = Any
LINE = 64
GAP = 8192  # no valid address lies between two regions


@dataclass(eq=False)
class Region:
    """A tensor, a window or a context of a rank."""

    name: str
    rank: int
    base: int
    size: int
    shared: bool  # whether other ranks may touch it
    data: Array = field(repr=False, default=None)

    def __post_init__(self) -> None:
        self.data = np.full(-(-max(self.size, 1) // LINE) * LINE, POISON, np.uint8)


class GlobalMemory:
    """Every region of every rank, in one address space."""

    def __init__(self) -> None:
        self.regions: list[Region] = []
        self.bases: list[int] = []

    def add(self, region: Region) -> Region:
        at = bisect.bisect(self.bases, region.base)
        self.bases.insert(at, region.base)
        self.regions.insert(at, region)
        return region

    def remove(self, region: Region) -> None:
        """What it held is gone: its addresses belong to nothing."""
        at = self.regions.index(region)
        del self.regions[at], self.bases[at]

    def locate(self, low: int, high: int, rank: int, anybody: bool = False) -> Region:
        """The region that holds the bytes `low` up to, and without, `high`; the rank must be one that may touch it."""
        at = bisect.bisect(self.bases, low) - 1
        region = self.regions[at] if at >= 0 else None
        if region is None or high > region.base + region.size:
            near = region if region and low < region.base + region.size + GAP else None
            if near:
                raise Problem(
                    "out-of-bounds",
                    f"bytes {low - near.base}..{high - near.base - 1} lie outside {near.name} of {near.size} bytes on rank {near.rank}",
                )
            if at + 1 < len(self.regions) and low >= self.regions[at + 1].base - GAP:
                after = self.regions[at + 1]
                raise Problem("out-of-bounds", f"byte {low - after.base} lies before {after.name} on rank {after.rank}")
            raise Problem("out-of-bounds", f"address {low:#x} belongs to no tensor or window")
        if region.rank != rank and not region.shared and not anybody:
            raise Problem("out-of-bounds", f"{region.name} belongs to rank {region.rank} and is not a window")
        return region


@dataclass(eq=False)
class Pending:
    """A store or notify that has not landed."""

    region: Region
    element: str
    at: Array  # element numbers in the region
    values: Array
    add: bool
    notify: bool

    def __post_init__(self) -> None:
        size = np.dtype(NUMPY[self.element]).itemsize
        self.low = int(self.at.min()) * size if self.at.size else 0
        self.high = (int(self.at.max()) + 1) * size if self.at.size else 0

    def overlaps(self, region: Region, low: int, high: int) -> bool:
        return self.region is region and self.low < high and low < self.high

    def apply(self, data: Array) -> None:
        cells = data.view(NUMPY[self.element])
        if self.add:
            with np.errstate(all="ignore"):
                np.add.at(cells, self.at.ravel(), self.values.ravel())
        else:
            cells[self.at] = self.values


@dataclass(eq=False)
class Load:
    """A load of a tile that has not looked at memory yet."""

    region: Region
    low: int
    high: int
    end: Callable[[], None]


class Port:
    """How one core sees global memory."""

    def __init__(self, memory: GlobalMemory, rank: int, chance: random.Random, stale: bool):
        self.memory, self.rank, self.chance = memory, rank, chance
        self.pending: list[Pending] = []
        self.loads: list[Load] = []
        self.lines: dict[tuple[Region, int], tuple[Array, Array]] = {}  # the bytes of a line, and which are stored to
        # With `stale`, a line that is fetched may be as old as the last time the cache was dropped.
        self.stale = stale
        self.snapshot: dict[Region, Array] = {}
        self.take_snapshot()

    def take_snapshot(self) -> None:
        if self.stale:
            self.snapshot = {region: self.seen(region).copy() for region in self.memory.regions}

    # -- tile accesses ------------------------------------------------------------------------------------------------

    def place(self, addresses: Array, element: str) -> tuple[Region, Array]:
        """The region of these addresses, and the element numbers there."""
        size = np.dtype(NUMPY[element]).itemsize
        low, high = int(addresses.min()), int(addresses.max()) + size
        region = self.memory.locate(low, high, self.rank)
        offsets = addresses - region.base
        if (offsets % size).any():
            raise Problem("alignment", f"byte {int(offsets.min())} of {region.name} is not aligned to {element}")
        return region, offsets // size

    def seen(self, region: Region, low: int = 0, high: Optional[int] = None) -> Array:
        """The bytes of a region with this core's own pending stores; not to be written."""
        mine = [one for one in self.pending if one.overlaps(region, low, region.size if high is None else high)]
        if not mine:
            return region.data
        data = region.data.copy()
        for one in mine:
            one.apply(data)
        return data

    def load(self, addresses: Array, element: str) -> Array:
        if not addresses.size:
            return np.zeros(addresses.shape, NUMPY[element])
        region, at = self.place(addresses, element)
        size = np.dtype(NUMPY[element]).itemsize
        return self.seen(region, int(at.min()) * size, (int(at.max()) + 1) * size).view(NUMPY[element])[at]

    def load_later(self, addresses: Array, element: str, memory: Memory, low: int, high: int, put: Callable[[Array], None]) -> None:
        """A load into bytes `low` up to, and without, `high` of `memory`. It looks at global memory when the core uses
        the bytes, stores to what is loaded, or passes a fence, whichever is first."""
        region, at = self.place(addresses, element)
        size = np.dtype(NUMPY[element]).itemsize

        def finish() -> None:
            self.loads.remove(load)
            put(self.load(addresses, element))

        arrival = Arrival(low, high, finish)
        load = Load(region, int(at.min()) * size, (int(at.max()) + 1) * size, lambda: memory.settle(low, high))
        memory.settle(low, high)
        self.loads.append(load)
        memory.arriving.append(arrival)

    def end_loads(self) -> None:
        while self.loads:
            self.loads[0].end()

    def store(self, addresses: Array, element: str, values: Array, add: bool = False, notify: bool = False) -> None:
        if not addresses.size:
            return
        region, at = self.place(addresses, element)
        self.push(Pending(region, element, at, np.array(values), add, notify))

    def push(self, one: Pending) -> None:
        for load in [load for load in self.loads if one.overlaps(load.region, load.low, load.high)]:
            load.end()
        self.pending.append(one)
        if self.stale and one.region in self.snapshot:
            one.apply(self.snapshot[one.region])

    def store_now(self, addresses: Array, element: str, values: Array) -> None:
        """A store that everybody sees at once."""
        region, at = self.place(addresses, element)
        one = Pending(region, element, at, np.array(values), False, False)
        while any(other.overlaps(region, one.low, one.high) for other in self.pending):
            self.land(next(k for k, other in enumerate(self.pending) if other.overlaps(region, one.low, one.high)))
        one.apply(region.data)

    # -- what is pending ----------------------------------------------------------------------------------------------

    def can_land(self, notifies: Optional[bool] = None) -> list[int]:
        """The numbers of what may land next; only notifies, or only stores, when asked."""
        result: list[int] = []
        for number, one in enumerate(self.pending):
            if notifies is not None and one.notify != notifies:
                continue
            earlier = self.pending[:number]
            if any(other.overlaps(one.region, one.low, one.high) for other in earlier):
                continue
            if one.notify and any(other.notify and other.region.rank == one.region.rank for other in earlier):
                continue
            result.append(number)
        return result

    def land(self, number: int) -> None:
        one = self.pending.pop(number)
        one.apply(one.region.data)

    def land_own(self, region: Region, low: int, high: int) -> None:
        """An operation on a cell sees what this core did to the cell before."""
        while any(one.overlaps(region, low, high) for one in self.pending):
            last = max(k for k, one in enumerate(self.pending) if one.overlaps(region, low, high))
            self.land(next(k for k in self.can_land() if k <= last))

    # -- scalar accesses ----------------------------------------------------------------------------------------------

    def line_of(self, region: Region, offset: int) -> tuple[Array, Array]:
        key = (region, offset // LINE)
        if key not in self.lines:
            start = offset // LINE * LINE
            source = self.snapshot.get(region) if self.stale and self.chance.random() < 0.7 else None
            if source is None:
                source = self.seen(region, start, start + LINE)
            self.lines[key] = (source[start : start + LINE].copy(), np.zeros(LINE, bool))
        return self.lines[key]

    def load_scalar(self, address: int, element: str) -> Any:
        dtype = np.dtype(NUMPY[element])
        region, at = self.place(np.array([address]), element)
        offset = int(at[0]) * dtype.itemsize
        if self.lines and self.chance.random() < 0.02:
            self.drop(self.chance.choice(list(self.lines)))
        line, _ = self.line_of(region, offset)
        return line[offset % LINE : offset % LINE + dtype.itemsize].view(dtype)[0]

    def store_scalar(self, address: int, element: str, value: Any) -> None:
        dtype = np.dtype(NUMPY[element])
        region, at = self.place(np.array([address]), element)
        offset = int(at[0]) * dtype.itemsize
        line, stored = self.line_of(region, offset)
        here = slice(offset % LINE, offset % LINE + dtype.itemsize)
        line[here] = np.array([value], dtype).view(np.uint8)
        stored[here] = True

    def drop(self, key: tuple[Region, int]) -> None:
        """Writes back what was stored to a line, and forgets the line."""
        line, stored = self.lines.pop(key)
        at = np.flatnonzero(stored)
        if at.size:
            self.push(Pending(key[0], "ui8", at + key[1] * LINE, line[at], False, False))

    def drop_line(self, address: int) -> None:
        region = self.memory.locate(address, address + 1, self.rank)
        key = (region, (address - region.base) // LINE)
        if key in self.lines:
            self.drop(key)
        if self.stale and region in self.snapshot:
            start = key[1] * LINE
            self.snapshot[region][start : start + LINE] = self.seen(region)[start : start + LINE]

    def drop_all(self) -> None:
        for key in list(self.lines):
            self.drop(key)
        self.take_snapshot()
