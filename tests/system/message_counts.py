"""Counts what a process sends to other hosts, for test_scaling.py, which starts this on several:

    python message_counts.py RANKS

Every process prints a line of JSON: its connections after all of that, and how many messages it sends for each round of a
program and for each call. A message is a segment with data, as the system counts them for each connection: small ones are never joined.
"""

import json
import os
import pathlib
import socket
import struct
import sys
import time

import numpy as np
import tilewire as tw
import tilewire.language as pl

RANKS = int(sys.argv[1])
BENCH = pathlib.Path(__file__).parents[2] / "bench"
DATA_SEGMENTS_OUT = 156  # where struct tcp_info has them


def connections():
    """The TCP connections of this process, as descriptors."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            if not os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):
                continue
            with socket.socket(fileno=os.dup(int(name))) as one:
                if one.family in (socket.AF_INET, socket.AF_INET6) and one.type == socket.SOCK_STREAM:
                    one.getpeername()
                    found.append(int(name))
        except OSError:  # it listens, or was the folder's
            continue
    return found


def sent():
    total = 0
    for descriptor in connections():
        with socket.socket(fileno=os.dup(descriptor)) as one:
            info = one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 192)
        total += struct.unpack_from("I", info, DATA_SEGMENTS_OUT)[0]
    return total


def program(file, elements):
    text = (BENCH / file).read_text()
    return pl.parse(text.replace("RANKS = 2", f"RANKS = {RANKS}").replace("ELEMENTS = 1024", f"ELEMENTS = {elements}"))


def by_round(run, few=20, many=120, repeats=4):
    """Messages of one more round. The least of several counts: signs of life, which processes ask each other for while they
    wait, only add to them."""
    least = dict.fromkeys((few, many), float("inf"))
    for _ in range(repeats):
        for rounds in least:
            run(1)
            before = sent()
            run(rounds)
            least[rounds] = min(least[rounds], sent() - before)
    return (least[many] - least[few]) / (many - few)


def rounds_of(name, elements=1):
    entry = getattr(program("collectives/rounds.py", elements), name)
    y = np.zeros((RANKS, 1, 1), np.float32)
    return lambda rounds: entry(rounds, y, ranks=RANKS, gather="none")


def calls(count):
    for _ in range(count):
        empty(ranks=RANKS)


tw.init()
time.sleep(0.2)  # processes that are still joining send, too
empty = program("comm/empty.py", 1).plain
counts = {
    "barrier": by_round(rounds_of("barrier")),
    "sum of 4 B": by_round(rounds_of("allreduce", 1)),
    "call": by_round(calls),
}
counts["connections"] = len(connections())
calls(1)  # all have counted: from here on connections may end
print(json.dumps(counts))
