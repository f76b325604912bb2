"""Runs of the accepted modules that say whether the result is right, for edits that should make it wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from execute import Context, ExecutionFault, PerRank, Window, run

Array = Any
Run = Callable[[str, int], bool]  # of a text under a seed
BF16 = ml_dtypes.bfloat16


def normal(seed: int, *shape: int, dtype: type = np.float32) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def outcomes(one_run: Run, text: str, seeds: range = range(24)) -> set[str]:
    """What runs of `text` end with: "right", "wrong", or the code of a fault."""
    found = set()
    for seed in seeds:
        try:
            found.add("right" if one_run(text, seed) else "wrong")
        except ExecutionFault as fault:
            assert fault.where is None or fault.where.line > 0
            found.add(fault.code)
    return found


def add(text: str, seed: int) -> bool:
    a, b, y = normal(1, 16, 64), normal(2, 16, 64), np.zeros((16, 64), np.float32)
    run(text, "vector_add", [a, b, y], seed=seed)
    return bool((y == a + b).all())


def strided(text: str, seed: int) -> bool:
    x, col, y = normal(1, 3, 40, 80), normal(2, 40), np.zeros((40, 80), np.float32)
    run(text, "strided", [x, col, y, 40, 64, 80, 24], seed=seed)
    return np.array_equal(y[24:, :32], x[1, 24:, 32:64] * col[24:, None]) and not y[:24].any() and not y[:, 32:].any()


def ragged(text: str, seed: int) -> bool:
    x, y = normal(1, 40, 33), np.zeros((40, 33), np.float32)
    run(text, "ragged", [x, y, 40, 33], seed=seed)
    return np.array_equal(y, 2 * x)


def relu6(text: str, seed: int) -> bool:
    x, y = normal(1, 16, 64) * np.float32(5), np.zeros((16, 64), np.float32)
    run(text, "relu6", [x, y, 6.0], seed=seed)
    return np.array_equal(y, np.clip(x, 0, 6))


def softmax(text: str, seed: int) -> bool:
    x, y = normal(1, 64, 128), np.zeros((64, 128), np.float32)
    run(text, "softmax", [x, y, 64], blocks=2, seed=seed)
    e = np.exp(x.astype(float) - x.max(1, keepdims=True))
    return np.allclose(y, e / e.sum(1, keepdims=True), rtol=1e-5)


def matmul(text: str, seed: int) -> bool:
    a, b, y = normal(1, 128, 128, dtype=np.float16), normal(2, 128, 128, dtype=np.float16), np.zeros((128, 128), np.float16)
    run(text, "matmul", [a, b, y, 128], seed=seed)
    return np.allclose(y, a.astype(float) @ b.astype(float), rtol=4e-3, atol=4e-3)


def matmul_nt(text: str, seed: int) -> bool:
    a, b, y = normal(1, 32, 128, dtype=np.float16), normal(2, 64, 128, dtype=np.float16), np.zeros((32, 64), np.float32)
    run(text, "matmul_nt", [a, b, y], seed=seed)
    return np.allclose(y, a.astype(float) @ b.astype(float).T, rtol=1e-4, atol=1e-3)


def add_into(text: str, seed: int) -> bool:
    x, y = normal(1, 48, 64).round(1), np.zeros((16, 64), np.float32)
    run(text, "add_into", [x, y], blocks=3, seed=seed)
    return np.allclose(y, x.reshape(3, 16, 64).sum(0), atol=1e-5)


def carried(text: str, seed: int) -> bool:
    p, q = np.zeros(2, np.int32), np.zeros(1, np.float32)
    run(text, "carried", [p, q, 3, 3, 5, 0.5], seed=seed)
    return p.tolist() == [21, 13] and q[0] == 1.5


def flow(text: str, seed: int) -> bool:
    x, s, y = normal(1, 48, 64), np.array([7, 0, 1], np.int32), np.zeros((16, 64), np.float32)
    run(text, "flow", [x, s, y, 48, 1], seed=seed)
    return np.array_equal(y, x[:16] + x[32:]) and s.tolist() == [1, 0, 1]


def transposed(text: str, seed: int) -> bool:
    a, b, v = normal(1, 64, 32, dtype=BF16), normal(2, 96, 64, dtype=BF16), normal(3, 96)
    y = np.zeros((32, 96), np.float32)
    run(text, "matmul_tt_bias", [a, b, v, y], seed=seed)
    return np.allclose(y, a.astype(np.float64).T @ b.astype(np.float64).T + v, rtol=1e-4, atol=1e-3)


def remote(text: str, seed: int) -> bool:
    windows, local = [normal(k, 16, 64) for k in (1, 2)], [normal(k, 16, 64) for k in (3, 4)]
    mine, cells = [one.copy() for one in local], [np.zeros(8, np.int32) for _ in range(2)]
    run(text, "remote", [Window(windows), PerRank(local), Window(cells), Context(), PerRank([1, 0])], ranks=2, seed=seed)
    return all(
        np.array_equal(windows[rank], mine[1 - rank] * 2) and np.array_equal(local[rank], windows[1 - rank]) and cells[rank][0] == 1
        for rank in range(2)
    )


def rms_norm(text: str, seed: int) -> bool:
    x, g, y = normal(1, 16, 128, dtype=BF16), normal(2, 128), np.zeros((16, 128), BF16)
    run(text, "rmsnorm", [x, g, y, 0.5], seed=seed)
    wide = x.astype(np.float64)
    return np.allclose(y.astype(np.float64), wide / np.sqrt((wide * wide).mean(1, keepdims=True) + 0.5) * g, rtol=1e-2, atol=1e-5)


def manual(text: str, seed: int) -> bool:
    x, y, w = normal(1, 16, 64), np.zeros((16, 64), np.float32), np.zeros(8, np.int32)
    run(text, "manual", [x, y, w], blocks=2, seed=seed)
    return np.allclose(y, np.exp(x), rtol=1e-5)


def reductions(text: str, seed: int) -> bool:
    x, c, r = normal(1, 16, 64), np.zeros(16, np.float32), np.zeros(64, np.float32)
    run(text, "reductions", [x, c, r], seed=seed)
    return np.allclose(c, x.sum(1), atol=1e-4) and np.allclose(r, x.sum(0), atol=1e-4)


# -- ranks and pipes --------------------------------------------------------------------------------------------------


def allreduce(text: str, seed: int, ranks: int = 3) -> bool:
    windows = [normal(100 * seed + rank, 16 * ranks, 64) for rank in range(ranks)]
    want = np.zeros_like(windows[0])
    for one in windows:
        want = want + one
    cells = [np.zeros(ranks, np.int32) for _ in range(ranks)]
    run(text, "allreduce", [Window(windows), Window(cells), 1, 2, 3, Context()], ranks=ranks, seed=seed)
    return all(np.array_equal(one, want) for one in windows)


def piped(text: str, seed: int, rows: int = 96) -> bool:
    a, b = normal(1, rows, 32, dtype=np.float16), normal(2, 32, 32, dtype=np.float16)
    y, workspace = np.zeros((rows, 32), np.float32), np.zeros(8192, np.float32)
    run(text, "mm", [a, b, y, workspace, rows], seed=seed)
    return np.allclose(y, np.exp(a.astype(float) @ b.astype(float)), rtol=1e-4)


def long_pipe(text: str, seed: int) -> bool:
    return piped(text, seed, 32 * 12)


def both_ways(text: str, seed: int) -> bool:
    workspace, y = np.zeros(8192, np.float32), np.zeros((32, 32), np.float32)
    run(text, "pp", [workspace, y], seed=seed)
    return bool((y == 33).all())


RUNS: dict[str, Run] = {
    "01": add, "02": add, "03": strided, "04": ragged, "06": relu6, "08": reductions, "10": softmax, "11": matmul, "12": transposed,
    "13": flow, "16": add_into, "18": remote, "19": piped, "20": both_ways, "21": allreduce, "22": rms_norm, "23": carried, "24": manual,
    "25": matmul_nt,
}
