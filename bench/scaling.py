#!/usr/bin/env python3
"""What worlds of many processes cost: messages, connections, memory and time, from a model of today's code.

    .venv/bin/python bench/scaling.py [FILE]

FILE is what `chrt -r 1 build/release/bench/hosts --tcp` has printed; bench/scaling/hosts.txt, the default, is recorded.
The constants of the model are fitted to some of its rows. The script prints all rows beside the model and their ratio,
then the tables of docs/clusters.md. tests/system/test_scaling.py keeps the ratios within bounds, compares the numbers of
messages and connections with those counted on two, three and four hosts, and the tables with the page.

A message occupies its sender and its receiver for half of its way each, because between the hosts of the benchmark there
is nothing but a virtual cable. A network adds its latency to each way.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import pathlib
import re

RECORDED = pathlib.Path(__file__).parent / "scaling" / "hosts.txt"
KB = 1024
MB = 1024 * KB

# As in the sources: segment_bytes and share_bytes of the cpu, the buffer of SocketEngine, and the bytes that abi::Group
# has for each rank. For each other process Channels and SocketEngine have 1,580 bytes, queues above all, and its addresses
# take some 100.
SEGMENT, SHARE, BUFFER, RANK_BYTES, PROCESS_BYTES = 512 * KB, 16 * KB, 256 * KB, 20, 1680
PACKET = 60 * KB  # what is copied
CACHE = 4 * MB  # what the windows of a core may take before adding them up goes to memory


@dataclasses.dataclass(frozen=True)
class World:
    hosts: int
    each: int  # ranks of a host
    per_process: int = 1  # ranks of a process
    shared_cores: bool = False  # one core for all ranks of a host, as in the benchmark

    @property
    def ranks(self) -> int:
        return self.hosts * self.each

    @property
    def local(self) -> int:  # processes of a host
        return self.each // self.per_process

    @property
    def processes(self) -> int:
        return self.hosts * self.local


# --- what is sent: tests compare these with what a run sends

def control_connections(world: World, process: int) -> int:
    """From the start: one with process 0."""
    return world.processes - 1 if process == 0 else 1


def connections(world: World, process: int) -> int:
    """After barriers and small sums: first processes of hosts meet through process 0, and sum up from host to host."""
    host, place = divmod(process, world.local)
    partners = set()
    if place == 0:
        partners = set(range(world.hosts)) if host == 0 else {0, host - 1, host + 1} & set(range(world.hosts))
        partners.discard(host)
    return control_connections(world, process) + len(partners)


def barrier_messages(world: World, process: int) -> int:
    """First ranks of hosts tell rank 0, which tells them."""
    if process % world.local != 0:
        return 0
    return world.hosts - 1 if process == 0 else 1


def sum_messages(world: World, process: int) -> int:
    """Of a sum that is one segment: the sum goes on, the result back, and "free" comes before."""
    host, place = divmod(process, world.local)
    if place != 0:
        return 0
    return (host < world.hosts - 1) + 2 * (host > 0)


def call_messages(world: World, process: int) -> int:
    """Of a call without windows: ready and ended, each told to process 0 and answered."""
    return 2 * (world.processes - 1 if process == 0 else 1)


def message_bytes(world: World) -> int:
    """Of memory in a process, for messages over TCP."""
    return BUFFER + world.processes * PROCESS_BYTES


# --- how long it takes, in microseconds

@dataclasses.dataclass(frozen=True)
class Constants:
    way: float  # of a small message between hosts
    per_kb: float  # of one that is copied into a packet
    carry: float  # of a larger one, with keeping and adding the row of whoever receives it
    add: float  # for each KB of each further row of a host
    add_far: float  # the same beyond the cache
    switch: float  # there and back between two processes on one core, in a meeting
    near: float  # the same between two cores
    control: float  # one way of a message between control threads


def put_time(c: Constants, size: int) -> float:
    return c.way + size / KB * c.per_kb


def meeting_time(c: Constants, world: World) -> float:
    if world.local == 1:
        return 0.0
    return (world.local - 1) * c.switch if world.shared_cores else c.near


def barrier_time(c: Constants, world: World) -> float:
    return meeting_time(c, world) + (2 * c.way + (world.hosts - 2) * c.way if world.hosts > 1 else 0)


def sum_time(c: Constants, world: World, size: int) -> float:
    sharing = max(1, min(world.each, size // SHARE))  # ranks of a host
    share = size / sharing
    segments = -(-share // SEGMENT)
    kb = share / segments / KB
    beyond = size * (world.each if world.shared_cores else 1) > CACHE
    rows = kb * (world.each - 1) * (sharing if world.shared_cores else 1)
    hop = c.per_kb if kb <= PACKET / KB else c.carry
    stage = kb * sharing * hop + rows * (c.add_far if beyond else c.add)  # the ranks of a host share its port
    hops = 2 * (world.hosts - 1)
    return meeting_time(c, world) + (hops + 1) * c.way + (segments - 1 + hops) * stage


def call_time(c: Constants, world: World) -> float:
    """Two rounds through process 0, which handles a message for each process and answers."""
    return 2 * (2 * c.control + (world.processes - 2) * c.way)


def read_rows(path: pathlib.Path) -> dict[str, float]:
    """Our times in microseconds, by what bench/hosts calls its rows, without "over TCP"."""
    units = {"ns": 1e-3, "us": 1.0, "ms": 1e3}
    rows = {}
    for line in path.read_text().splitlines():
        found = re.match(r"(.*?) over TCP\s+([\d.]+) (ns|us|ms)\b", line)
        if found:
            rows[found[1]] = float(found[2]) * units[found[3]]
    return rows


# Of bench/processes: a signal between two cores there and back, and reading 1 KB of another process.
NEAR, ADD = 0.5, 0.02
BENCHMARK = {each: World(2, each, shared_cores=True) for each in (1, 2)}


def size_of(name: str) -> int:
    number, unit = re.search(r"of (\d+) (B|KB|MB)", name).groups()
    return int(number) * {"B": 1, "KB": KB, "MB": MB}[unit]


def fit(rows: dict[str, float]) -> Constants:
    way = (rows["put of 8 B and notify"] + rows["put of 4 KB and notify"]) / 2
    per_kb = (rows["put of 64 KB and notify"] - way) / 64
    switch = rows["barrier, 2 x 2 ranks"] - 2 * way
    # 256 KB are carried twice in sequence, 4 MB in nine stages of 512 KB; the model has one number for both.
    of_256_kb = (rows["sum of 256 KB, 2 x 1 ranks"] - 3 * way) / (2 * 256)
    of_4_mb = (rows["sum of 4 MB, 2 x 1 ranks"] - 3 * way) / (9 * 512)
    carry = math.sqrt(of_256_kb * of_4_mb)
    # 4 MB on 2 x 2: five stages of 512 KB for each of two ranks.
    stage = (rows["sum of 4 MB, 2 x 2 ranks"] - switch - 3 * way) / 5
    add_far = (stage - 2 * 512 * carry) / (2 * 512)
    return Constants(way, per_kb, carry, ADD, add_far, switch, NEAR, rows["call, 2 x 1 ranks"] / 4)


FITTED = {"put of 8 B and notify", "put of 64 KB and notify", "barrier, 2 x 2 ranks", "sum of 256 KB, 2 x 1 ranks",
          "sum of 4 MB, 2 x 1 ranks", "sum of 4 MB, 2 x 2 ranks", "call, 2 x 1 ranks"}


def modelled(c: Constants, name: str) -> float | None:
    """What the model says of a row; None where it has nothing to say."""
    if name.startswith("put") and size_of(name) <= 64 * KB:
        return put_time(c, size_of(name))
    ranks = re.search(r"2 x (\d) ranks", name)
    world = BENCHMARK[int(ranks[1])] if ranks else None
    if world and name.startswith("barrier"):
        return barrier_time(c, world)
    if world and name.startswith("sum"):
        return sum_time(c, world, size_of(name))
    if world and name.startswith("call") and world.each == 1:
        return call_time(c, world)
    return None


def show_time(us: float) -> str:
    for limit, unit in ((1e3, "us"), (1e6, "ms"), (float("inf"), "s")):
        if us < limit:
            value = us / (limit / 1e3 if limit != float("inf") else 1e6)
            return f"{value:.3g} {unit}" if value < 100 else f"{value:.0f} {unit}"
    raise AssertionError


def show_bytes(count: int) -> str:
    for unit, size in (("GB", 1024 * MB), ("MB", MB), ("KB", KB)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"


SIZES = (64, 1024, 16384)
EACH = 8


def tables(c: Constants) -> list[str]:
    """Lines of Markdown."""
    lines = []
    for per_process, title in ((1, "a process for each rank"), (EACH, "a process for each host")):
        worlds = [World(ranks // EACH, EACH, per_process) for ranks in SIZES]
        rows = [
            ("connections of process 0, from the start", lambda w: f"{control_connections(w, 0):,}"),
            ("of process 0, after barriers and sums", lambda w: f"{connections(w, 0):,}"),
            ("of another one, at most", lambda w: f"{max(connections(w, w.local * host) for host in (1, 2)):,}"),
            ("memory of a process for messages", lambda w: show_bytes(message_bytes(w))),
            ("for a group", lambda w: show_bytes(RANK_BYTES * w.ranks)),
            ("messages of a call, without windows", lambda w: f"{sum_over(w, call_messages):,}"),
            ("time", lambda w: show_time(call_time(c, w))),
        ]
        lines += [f"| {EACH} ranks on each host, {title} | " + " | ".join(f"{n:,} ranks" for n in SIZES) + " |",
                  "|---" * (len(SIZES) + 1) + "|"]
        lines += [f"| {name} | " + " | ".join(show(w) for w in worlds) + " |" for name, show in rows]
        lines.append("")
    worlds = [World(ranks // EACH, EACH) for ranks in SIZES]
    rows = [
        ("messages of a barrier", lambda w: f"{sum_over(w, barrier_messages):,}"),
        ("time", lambda w: show_time(barrier_time(c, w))),
        ("messages of a sum of 4 B", lambda w: f"{sum_over(w, sum_messages):,}"),
    ]
    rows += [(f"time of a sum of {show_bytes(size)}", lambda w, size=size: show_time(sum_time(c, w, size)))
             for size in (4, 16 * KB, 4 * MB, 256 * MB)]
    lines += [f"| {EACH} ranks on each host | " + " | ".join(f"{n:,} ranks" for n in SIZES) + " |",
              "|---" * (len(SIZES) + 1) + "|"]
    lines += [f"| {name} | " + " | ".join(show(w) for w in worlds) + " |" for name, show in rows]
    return lines


def sum_over(world: World, messages) -> int:
    return sum(messages(world, process) for process in range(world.processes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=pathlib.Path, default=RECORDED, help="output of bench/hosts --tcp")
    rows = read_rows(parser.parse_args().file)
    c = fit(rows)
    print("constants:", ", ".join(f"{name} {value:.3g} us" for name, value in dataclasses.asdict(c).items()))
    print(f"\n{'':34} {'measured':>9} {'model':>9} {'ratio':>6}")
    for name, measured in rows.items():
        model = modelled(c, name)
        if model is not None:
            note = "  fitted" if name in FITTED else ""
            print(f"{name:34} {show_time(measured):>9} {show_time(model):>9} {model / measured:6.2f}{note}")
    print()
    print("\n".join(tables(c)))


if __name__ == "__main__":
    main()
