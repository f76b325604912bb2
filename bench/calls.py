#!/usr/bin/env python3
"""What a call costs, beside NumPy's.

    .venv/bin/python bench/calls.py [--quick]

Ours and NumPy's in turn in one process, on one thread's core; the best of many samples of 200 calls. The last rows are
calls from C++ (bench/calls.cpp, built by scripts/setup), with the same arrays. `ratio` is NumPy's time over ours.
"""

from __future__ import annotations

import argparse
import pathlib
import subprocess
import sys
import time
from typing import Any, Callable

import numpy as np

import tilewire.language as pl

ROOT = pathlib.Path(__file__).resolve().parents[1]
CALLS = 200


@pl.jit.incore
def copy_row(x: pl.Tensor[[1, 16], pl.FP32], y: pl.Out[pl.Tensor[[1, 16], pl.FP32]]):
    y[...] = pl.load(x)


@pl.jit
def one_task(x: pl.Tensor[[1, 16], pl.FP32], y: pl.Out[pl.Tensor[[1, 16], pl.FP32]]):
    copy_row(x, y)


def sample(call: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    start = time.perf_counter()
    for _ in range(CALLS):
        call(*arguments)
    return (time.perf_counter() - start) / CALLS


def best(calls: list[tuple[Callable[..., Any], tuple[Any, ...]]], rounds: int) -> list[float]:
    """The least time of each, measured in turn."""
    least = [float("inf")] * len(calls)
    for _ in range(rounds):
        for i, (call, arguments) in enumerate(calls):
            call(*arguments)
            least[i] = min(least[i], sample(call, arguments))
    return least


def multiply_add() -> Any:
    text = (ROOT / "examples" / "elementwise.py").read_text()
    return pl.parse(text, "elementwise.py").multiply_add.compile()


def show(name: str, ours: float, theirs: float | None, goal: str) -> None:
    peer = "" if theirs is None else f"{theirs * 1e6:8.2f} us {theirs / ours:6.2f}"
    print(f"{name:44s} {ours * 1e6:8.2f} us {peer:18s}  {goal}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="the cost of a call, beside NumPy's")
    parser.add_argument("--quick", action="store_true", help="a tenth of the samples")
    rounds = 100 if parser.parse_args().quick else 1000
    print(f"{'call':44s} {'ours':>11s} {'NumPy':>11s} {'ratio':>6s}  goal")
    random = np.random.default_rng(1)

    x, y = (np.zeros((1, 16), np.float32) for _ in range(2))
    exe = one_task.compile()
    ours, jit, theirs = best([(exe, (x, y)), (one_task, (x, y)), (np.copyto, (y, x))], rounds)
    show("one task, exe(x, y)", ours, theirs, "2 us")
    show("one task, kernel(x, y)", jit, theirs, "")

    run = multiply_add()
    for n in (256, 4096, 65536):
        a, b, c, out = (random.standard_normal(n, dtype=np.float32) for _ in range(4))
        ours, left_out, theirs = best(
            [(run, (a, b, c, out)), (run, (a, b, c)), (lambda a, b, c: a * b + c, (a, b, c))], rounds
        )
        assert np.array_equal(out, a * b + c)
        goal = "ratio 1.00" if n == 4096 else ""
        show(f"a*b+c, arrays of {4 * n // 1024} KB, exe(a, b, c, y)", ours, theirs, goal)
        show(f"a*b+c, arrays of {4 * n // 1024} KB, y = exe(a, b, c)", left_out, theirs, "")

    program = ROOT / "build" / "release" / "bench" / "calls"
    if program.exists():
        sys.stdout.flush()
        subprocess.run([program, str(rounds)], check=True)


if __name__ == "__main__":
    main()
