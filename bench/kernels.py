#!/usr/bin/env python3
"""Kernels side by side with NumPy, OpenBLAS and loops written by hand, in one run on one machine.

    .venv/bin/python bench/kernels.py [--quick] [--best] [--only WORD]... [--json FILE]

Every row is measured with repetitions of ours and of its peers in turn, and shows the medians (the least times with
--best, for a machine that others use too). `ratio` is how many
times faster than the peer, `goal` what it should be, `floor` the least time the machine needs for the row: bytes over
the bandwidth of memory, or operations over the FMA peak, measured in the same process. The programs are those of
examples/ with other constants. Parts that need one core or two run in processes of their own, pinned to them, with
as many BLAS threads. Loops written by hand write into the array that ours writes into: where an array happens to lie
changes the time of a loop bound by memory by several percent. A row without a goal is for information.
"""

from __future__ import annotations

import argparse
import ctypes
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCE = ROOT / "bench" / "peers" / "loops.cpp"


@dataclasses.dataclass
class Row:
    name: str
    ours: float  # seconds
    peer: str
    theirs: float | None
    goal: float | None  # of theirs / ours, or of ours in seconds without a peer
    floor: float | None = None
    flops: float = 0

    @property
    def ratio(self) -> float | None:
        return None if self.theirs is None else self.theirs / self.ours

    @property
    def met(self) -> bool:
        if self.goal is None:
            return True
        return self.ours <= self.goal if self.ratio is None else self.ratio >= self.goal


def show_time(seconds: float | None) -> str:
    if seconds is None:
        return ""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


HEADINGS = ("benchmark", "ours", "peer", "theirs", "ratio", "goal", "floor", "GFLOP/s", "")
WIDTHS = (34, 9, 26, 9, 7, 9, 9, 8, 0)


def show(cells: tuple[str, ...]) -> None:
    print(" ".join(cell.ljust(w) if i in (0, 2) else cell.rjust(w) for i, (cell, w) in enumerate(zip(cells, WIDTHS))))
    sys.stdout.flush()


def show_row(row: Row) -> None:
    goal = "" if row.goal is None else (show_time(row.goal) if row.ratio is None else f"{row.goal:.2f}")
    show((
        row.name, show_time(row.ours), row.peer, show_time(row.theirs), "" if row.ratio is None else f"{row.ratio:.2f}",
        goal, show_time(row.floor), f"{row.flops / row.ours / 1e9:.1f}" if row.flops else "",
        "" if row.met else "below the goal",
    ))  # fmt: skip


# Timing.


def once(function: Callable[[], Any]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


class Bench:
    """One process's part of the table."""

    def __init__(self, options: argparse.Namespace):
        import numpy as np

        self.np = np
        self.options = options
        self.rows: list[Row] = []
        # OpenBLAS's threads go on spinning after a product, for more than a tenth of a second; whoever comes next
        # must not share a core with them.
        self.pause = 0.2 if options.part == "two" else 0.0
        self.random = np.random.default_rng(1)
        self.round = 0
        self.loops = self.build_peers()
        self.peak = self.measure_peak()
        self.bandwidth = self.measure_bandwidth()

    def wants(self, name: str) -> bool:
        return not self.options.only or any(word in name for word in self.options.only)

    def turns(self, *functions: Callable[[], Any], seconds: float = 1.5) -> list[float]:
        """The median time of each, measured one after the other again and again.

        Each is called once more right before it is timed, so that all find the caches as they left them themselves
        and not as another one did: what is read and written here is about as large as the last cache.
        """
        for function in functions:
            function()  # compiles, touches memory
        spent = sum(once(f) for f in functions)
        budget = seconds * (0.2 if self.options.quick else 1.0)
        rounds = max(3, min(200, int(budget / max(2 * spent, 1e-6))))
        times: list[list[float]] = [[] for _ in functions]
        for self.round in range(rounds):
            for function, measured in zip(functions, times):
                time.sleep(self.pause)
                function()
                measured.append(once(function))
        return [min(t) if self.options.best else statistics.median(t) for t in times]

    def add(
        self,
        name: str,
        ours: Callable[[], Any],
        peers: dict[str, tuple[Callable[[], Any], float | None]],
        floor: float | None = None,
        flops: float = 0,
    ) -> None:
        """`peers`: by name, a function and the ratio that is the goal."""
        if not self.wants(name):
            return
        medians = self.turns(ours, *(function for function, _ in peers.values()))
        for (peer, (_, goal)), theirs in zip(peers.items(), medians[1:]):
            self.put(Row(name, medians[0], peer, theirs, goal, floor, flops))

    def put(self, row: Row) -> None:
        self.rows.append(row)
        show_row(row)

    # Peers and floors.

    def build_peers(self) -> Any:
        """The loops written by hand, compiled for this machine. None without a compiler."""
        folder = pathlib.Path(tempfile.mkdtemp())
        library = folder / "loops.so"
        command = ["g++", "-std=c++20", "-O3", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC", SOURCE]
        try:
            subprocess.run([*command, "-o", library], check=True)
        except FileNotFoundError:
            print("no g++: rows against loops written by hand are left out")
            return None
        loaded = ctypes.CDLL(str(library))
        library.unlink()
        folder.rmdir()
        loaded.peer_fma_peak.restype = ctypes.c_double
        return loaded

    def call_peer(self, name: str, *arguments: Any) -> Callable[[], Any]:
        """A call of a loop: arrays as pointers, ints as sizes, floats as floats."""
        given = []
        for a in arguments:
            if hasattr(a, "ctypes"):
                given.append(ctypes.c_void_p(a.ctypes.data))
            else:
                given.append(ctypes.c_size_t(a) if isinstance(a, int) else ctypes.c_float(a))
        function = getattr(self.loops, name)
        return lambda: function(*given)

    def measure_peak(self) -> float:
        """Operations a second of FMAs in registers, one core."""
        if self.loops is None:
            return float("nan")
        keep = self.np.array([0.9999, 1e-9, 0], self.np.float32)
        self.peak_call = self.call_peer("peer_fma_peak", 400_000, keep)
        operations = self.peak_call()
        best = min(once(self.peak_call) for _ in range(20))
        return operations / best

    def measure_bandwidth(self) -> float:
        """Bytes a second, read and written, of arrays of 64 MB: the best of a copy and of a*b+c by hand."""
        a = self.np.ones(16 << 20, self.np.float32)
        b = self.np.ones_like(a)
        best = 2 * a.nbytes / min(once(lambda: self.np.copyto(b, a)) for _ in range(10))
        if self.loops is not None:
            c = self.np.ones_like(a)
            y = self.np.ones_like(a)
            loop = self.call_peer("peer_multiply_add", a, b, c, y, len(a))
            best = max(best, 4 * a.nbytes / min(once(loop) for _ in range(10)))
        return best

    def memory(self, *arrays: Any) -> float:
        return sum(a.nbytes for a in arrays) / self.bandwidth

    def normal(self, *shape: int) -> Any:
        return self.random.standard_normal(shape, dtype=self.np.float32)

    def rows_of(self, name: str, run: Any, numpy: Any, goal: float, *more: Any) -> None:
        """A function from rows to rows. In turn over four pairs of arrays: where memory puts them decides more about
        the time of arrays that about fill the last cache than the loop does, on both sides.
        """
        pairs = [(x, self.np.zeros_like(x)) for x in (self.normal(4096, 1024) for _ in range(4))]
        here = lambda: pairs[self.round % len(pairs)]  # noqa: E731
        peers: dict[str, Any] = {"NumPy": (lambda: numpy(here()[0], *more), goal)}
        if self.loops:
            epsilon = [1e-5] * (len(more) > 0)
            loops = [self.call_peer(f"peer_{name}", x, *more, y, 4096, 1024, *epsilon) for x, y in pairs]
            peers["loop by hand"] = (lambda: loops[self.round % len(pairs)](), 0.9)
        ours = lambda: run(here()[0], *more, here()[1])  # noqa: E731
        self.add(f"{name} 4096x1024", ours, peers, self.memory(*pairs[0]))

    def example(self, name: str, entry: str, **constants: Any) -> Any:
        import tilewire.language as pl

        program = pl.load_program(ROOT / "examples" / f"{name}.py", constants)
        return program.compile(entry=entry, target=self.options.target)

    # Kernels.

    def tile_matmul(self) -> None:
        import tilewire.language as pl

        if self.loops is None or not self.wants("matmul 64x64x64 tile"):
            return
        rounds = 2000
        run = pl.parse(TILE_MATMUL).compile(entry="main", target=self.options.target)
        a, b, c = self.normal(64, 64) * 0.01, self.normal(64, 64) * 0.01, self.np.zeros((64, 64), self.np.float32)
        flops = 2.0 * 64**3 * rounds
        keep = self.np.array([0.9999, 1e-9, 0], self.np.float32)
        width = self.peak_call() / (400_000 * 16)
        same_work = self.call_peer("peer_fma_peak", int(flops / (16 * width)), keep)
        peers: dict[str, Any] = {"FMA peak": (same_work, 0.90)}
        self.add("matmul 64x64x64 tile, FP32", lambda: run(a, b, rounds, c), peers, flops / self.peak, flops)

    def gemm(self, threads: int) -> None:
        import ml_dtypes

        name = f"gemm 1024^3, {threads} thread" + "s" * (threads > 1)
        if not self.wants(name):
            return
        a, b, c = self.normal(1024, 1024), self.normal(1024, 1024), self.np.zeros((1024, 1024), self.np.float32)
        out = self.np.empty_like(c)
        flops = 2.0 * 1024**3
        floor = flops / self.peak / threads
        blas = lambda: self.np.matmul(a, b, out=out)  # noqa: E731
        run = self.example("gemm", "gemm")
        self.add(name, lambda: run(a, b, c), {"OpenBLAS": (blas, 0.90)}, floor, flops)
        half = [x.astype(ml_dtypes.bfloat16) for x in (a, b)]
        run16 = self.example("gemm", "gemm_bf16")
        self.add(f"{name}, BF16", lambda: run16(*half, c), {"OpenBLAS in FP32": (blas, None)}, None, flops)

    def softmax(self) -> None:
        from peers import numpy_kernels

        if not self.wants("softmax 4096x1024"):
            return
        self.rows_of("softmax", self.example("softmax", "softmax", COLS=1024), numpy_kernels.softmax, 4.0)

    def layernorm(self) -> None:
        from peers import numpy_kernels

        if not self.wants("layernorm 4096x1024"):
            return
        run = self.example("layernorm", "layernorm", HIDDEN=1024)
        self.rows_of("layernorm", run, numpy_kernels.layernorm, 5.0, self.normal(1024), self.normal(1024))

    def multiply_add(self) -> None:
        from peers import numpy_kernels

        if not self.wants("a*b+c"):
            return
        run = self.example("elementwise", "multiply_add")
        for n, size in ((1 << 12, "16 KB"), (1 << 18, "1 MB"), (16 << 20, "64 MB")):
            a, b, c = (self.normal(n) for _ in range(3))
            y = self.np.zeros_like(a)
            peers: dict[str, Any] = {"NumPy": (lambda: numpy_kernels.multiply_add(a, b, c), None)}
            if self.loops:
                goal = 0.95 if size == "64 MB" else None
                peers["loop by hand"] = (self.call_peer("peer_multiply_add", a, b, c, y, n), goal)
            # Small arrays stay in a cache, whose bandwidth is not measured.
            floor = self.memory(a, b, c, y) if size == "64 MB" else None
            self.add(f"a*b+c, arrays of {size}", lambda: run(a, b, c, y), peers, floor)

    def silu(self) -> None:
        import tilewire.language as pl

        name = "silu, array of 1 MB"
        if not self.wants(name):
            return
        run = pl.parse(SILU).compile(entry="main", target=self.options.target)
        x = self.normal(256, 1024)
        y = self.np.zeros_like(x)
        self.add(name, lambda: run(x, y), {"NumPy": (lambda: x / (1 + self.np.exp(-x)), None)})

    def attention(self) -> None:
        from peers import numpy_kernels

        name = "causal attention 4096x128"
        if not self.wants(name):
            return
        q, k, v = (self.normal(1, 4096, 128) for _ in range(3))
        out = self.np.zeros_like(q)
        run = self.example("flash_attention", "main", HEAD=128, **ATTENTION)
        peers = {
            "NumPy": (lambda: numpy_kernels.causal_attention(q[0], k[0], v[0]), 3.0),
            "NumPy in blocks of 256": (lambda: numpy_kernels.causal_attention_blocks(q[0], k[0], v[0]), None),
        }
        flops = 2.0 * 4096 * 4096 * 128  # half of two products
        self.add(name, lambda: run(q, k, v, out), peers, flops / self.peak, flops)

    # Costs of the compiler and of a call.

    def compile_time(self) -> None:
        import tilewire.language as pl

        x = self.normal(16, 64)
        target = self.options.target
        pl.parse(chain(3, 0)).compile(entry="main", target=target)(x)  # loads the code generator
        for ops, goal, count in ((20, 35e-3, 15), (2000, 4.0, 1)):
            name = f"text to first result, {ops} ops"
            if self.wants(name):
                # A new text each time, so that nothing of it is known.
                salt = time.time_ns() % 1_000_000
                texts = [chain(ops, salt + i) for i in range(count)]
                times = [once(lambda: pl.parse(t).compile(entry="main", target=target)(x)) for t in texts]
                self.put(Row(name, statistics.median(times), "", None, goal))
        if self.wants("compiled again"):
            program = pl.parse(chain(20, 1))
            program.compile(entry="main", target=target)
            again = self.turns(lambda: program.compile(entry="main", target=target))[0]
            self.put(Row("compiled again, in memory", again, "", None, 50e-6))
        if self.wants("from disk"):
            self.put(Row("text to first result, from disk", self.from_disk(), "", None, 3e-3))

    def from_disk(self) -> float:
        """A new process that finds the 20-op kernel compiled by an earlier one; import and loading not counted."""
        salt = time.time_ns() % 1_000_000
        command = [sys.executable, __file__, "--part", f"first-result:{salt}", "--target", self.options.target]
        times = []
        for _ in range(6):
            times.append(float(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        return statistics.median(times[1:])

    def call(self) -> None:
        import tilewire.language as pl

        if self.wants("call from Python"):
            run = pl.parse(ONE_TASK).compile(entry="main", target=self.options.target)
            x, y = self.normal(1, 16), self.np.zeros((1, 16), self.np.float32)

            def many() -> None:
                for _ in range(1000):
                    run(x, y)

            self.put(Row("call from Python, 1 task", self.turns(many)[0] / 1000, "", None, 2e-6))
        for name, entry, goal in (("dependent", "chained", 1e-6), ("independent", "apart", 0.6e-6)):
            if self.wants(f"task, {name}"):
                tasks = 100_000
                run = pl.parse(TASKS).compile(entry=entry, target=self.options.target)
                y = self.np.zeros((1024, 1), self.np.float32)
                seconds = self.turns(lambda: run(tasks, y))[0] / tasks
                self.put(Row(f"empty task, {name}", seconds, "", None, goal))

    def scaling(self) -> None:
        """What a second core brings for compute, ours and a raw loop's."""
        import threading

        import tilewire.language as pl

        if self.loops is None or not self.wants("two cores"):
            return
        run = pl.parse(TILE_MATMUL).compile(entry="blocks", target=self.options.target)
        a, b = self.normal(64, 64) * 0.01, self.normal(64, 64) * 0.01
        c = self.np.zeros((16, 64, 64), self.np.float32)
        raw = self.call_peer("peer_fma_peak", 5_000_000, self.np.array([0.9999, 1e-9, 0], self.np.float32))

        def raw_twice() -> None:
            other = threading.Thread(target=raw)  # ctypes lets go of the interpreter
            other.start()
            raw()
            other.join()

        one, two, loop, loops = self.turns(
            lambda: run(a, b, 400, 1, c), lambda: run(a, b, 400, 16, c), raw, raw_twice, seconds=4
        )
        # 16 blocks do 16 times the work of one; two raw loops twice that of one.
        ours, theirs = 16 * one / two, 2 * loop / loops
        self.put(Row("two cores over one, SPMD matmul", 1 / ours, f"raw FMA loop: {theirs:.2f}x", 1 / theirs, 0.92))
        print(f"    ours {ours:.2f}x")


ATTENTION: dict[str, Any] = {}

TILE_MATMUL = """
import tilewire.language as pl

@pl.jit.incore
def products(a: pl.Tensor[[64, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32], rounds: pl.Scalar[pl.INT64],
             c: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    left = pl.load(a)
    right = pl.load(b)
    acc = pl.full([64, 64], dtype=pl.FP32, value=0.0)
    for i in pl.range(rounds):
        acc = pl.matmul_acc(acc, left, right)
    c[...] = acc
    return c

@pl.jit
def main(a: pl.Tensor[[64, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32], rounds: pl.Scalar[pl.INT64],
         c: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    return products(a, b, rounds, c)

@pl.jit
def blocks(a: pl.Tensor[[64, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32], rounds: pl.Scalar[pl.INT64],
           n: pl.Scalar[pl.INT64], c: pl.Out[pl.Tensor[[16, 64, 64], pl.FP32]]):
    for block in pl.spmd(n):
        left = pl.load(a)
        right = pl.load(b)
        acc = pl.full([64, 64], dtype=pl.FP32, value=0.0)
        for i in pl.range(rounds):
            acc = pl.matmul_acc(acc, left, right)
        c = pl.store(acc, [block, 0, 0], c)
    return c
"""

SILU = """
import tilewire.language as pl

@pl.jit.incore
def kernel(x: pl.Tensor[[256, 1024], pl.FP32], y: pl.Out[pl.Tensor[[256, 1024], pl.FP32]]):
    y[...] = pl.silu(x)
    return y

@pl.jit
def main(x: pl.Tensor[[256, 1024], pl.FP32], y: pl.Out[pl.Tensor[[256, 1024], pl.FP32]]):
    return kernel(x, y)
"""

ONE_TASK = """
import tilewire.language as pl

@pl.jit.incore
def add_one(x: pl.Tensor[[1, 16], pl.FP32], y: pl.Out[pl.Tensor[[1, 16], pl.FP32]]):
    y[...] = pl.load(x) + 1.0
    return y

@pl.jit
def main(x: pl.Tensor[[1, 16], pl.FP32], y: pl.Out[pl.Tensor[[1, 16], pl.FP32]]):
    return add_one(x, y)
"""

TASKS = """
import tilewire.language as pl

@pl.jit.incore
def touch(y: pl.Out[pl.Tensor[[1], pl.FP32]]):
    y[0] = 1.0

@pl.jit
def chained(n: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[1024, 1], pl.FP32]]):
    for i in pl.range(n):
        touch(y[0])
    return y

@pl.jit
def apart(n: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[1024, 1], pl.FP32]]):
    for i in pl.parallel(n):
        touch(y[i % 1024])
    return y
"""


def chain(ops: int, salt: int) -> str:
    """A kernel of `ops` ops, like no other with another salt."""
    forms = ("t * {k}", "t + {k}", "pl.exp(t)", "t / pl.row_max(t)", "pl.maximum(t, {k})", "pl.tanh(t)", "t - x0")
    lines = ["t = pl.load(x)", "x0 = t"]
    for i in range(ops - 2):
        lines.append("t = " + forms[i % len(forms)].format(k=repr(1.0 + (salt * 31 + i) % 999983 / 1e6)))
    body = "\n    ".join(lines)
    return f"""
import tilewire.language as pl

@pl.jit.incore
def kernel(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    {body}
    y[...] = t
    return y

@pl.jit
def main(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    return kernel(x, y)
"""


# Parts, each in a process of its own.


def first_result(options: argparse.Namespace, salt: int) -> None:
    import numpy as np

    import tilewire.language as pl

    x = np.ones((16, 64), np.float32)
    pl.parse(ONE_TASK).compile(entry="main", target=options.target)(np.ones((1, 16), np.float32))
    print(once(lambda: pl.parse(chain(20, salt)).compile(entry="main", target=options.target)(x)))


def part(options: argparse.Namespace) -> list[Row]:
    threads = 1 if options.part == "one" else 2
    available = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, available[:threads])
    os.environ["OPENBLAS_NUM_THREADS"] = str(threads)
    bench = Bench(options)
    print(f"FMA peak {bench.peak / 1e9:.1f} GFLOP/s a core, memory {bench.bandwidth / 1e9:.1f} GB/s")
    show(HEADINGS)
    if threads == 1:
        bench.tile_matmul()
        bench.gemm(1)
        bench.softmax()
        bench.layernorm()
        bench.multiply_add()
        bench.silu()
        bench.attention()
        bench.compile_time()
        bench.call()
    else:
        bench.gemm(2)
        bench.scaling()
    return bench.rows


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--best", action="store_true", help="least times in place of medians")
    parser.add_argument("--only", action="append", default=[], help="rows whose name contains this")
    parser.add_argument("--target", default="cpu", help=argparse.SUPPRESS)
    parser.add_argument("--json", help="write the rows there too")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part and options.part.startswith("first-result:"):
        first_result(options, int(options.part.rpartition(":")[2]))
        return 0
    if options.part:
        rows = part(options)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps([dataclasses.asdict(r) for r in rows]))
        return 0
    cores = len(os.sched_getaffinity(0))
    rows_json = []
    for name in ["one"] + ["two"] * (cores >= 2):
        print(f"\n{name} core{'s' * (name != 'one')}, load average {os.getloadavg()[0]:.1f}")
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            command = [sys.executable, __file__, "--part", name, "--target", options.target, "--json", file.name]
            command += ["--quick"] * options.quick + ["--best"] * options.best + [f"--only={word}" for word in options.only]
            subprocess.run(command, check=True)
            rows_json += json.loads(pathlib.Path(file.name).read_text())
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows_json, indent=2) + "\n")
    missed = [r["name"] for r in rows_json if not Row(**r).met]
    print(f"\n{len(rows_json)} rows, {len(missed)} below the goal" + (": " + "; ".join(missed) if missed else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
