"""The accepted modules, executed and compared with NumPy."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from execute import Context, ExecutionFault, PerRank, Window, run
from execute_cases import accepted

SEEDS = range(8)
BF16 = ml_dtypes.bfloat16


def normal(seed: int, *shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("number", ["01", "02"])
def test_vector_add(number: str) -> None:
    a, b, y = normal(1, 16, 64), normal(2, 16, 64), np.zeros((16, 64), np.float32)
    result = run(accepted(number), "vector_add", [a, b, y])
    assert result.level == (3 if number == "02" else 2)
    np.testing.assert_array_equal(y, a + b)


@pytest.mark.parametrize("m, n, pitch, row", [(16, 64, 64, 0), (40, 64, 80, 24), (48, 70, 71, 16)])
def test_strided(m: int, n: int, pitch: int, row: int) -> None:
    x, col = normal(1, 3, m, pitch), normal(2, m)
    y = np.zeros((m, pitch), np.float32)
    run(accepted("03"), "strided", [x, col, y, m, n, pitch, row])
    want = np.zeros_like(y)
    want[row : row + 16, :32] = x[1, row : row + 16, 32:64] * col[row : row + 16, None]
    np.testing.assert_array_equal(y, want)


@pytest.mark.parametrize("rows, cols", [(1, 1), (16, 64), (17, 63), (40, 5), (64, 33)])
def test_ragged(rows: int, cols: int) -> None:
    x, y = normal(1, rows, cols), np.zeros((rows, cols), np.float32)
    run(accepted("04"), "ragged", [x, y, rows, cols])
    np.testing.assert_array_equal(y, x * np.float32(2))


@pytest.mark.parametrize("high", [6.0, 0.5, -1.0])
def test_relu6(high: float) -> None:
    x, y = normal(1, 16, 64) * np.float32(5), np.zeros((16, 64), np.float32)
    run(accepted("06"), "relu6", [x, y, high])
    np.testing.assert_array_equal(y, np.maximum(np.minimum(x, np.float32(high)), 0))


def test_reductions() -> None:
    x, c, r = normal(1, 16, 64), np.zeros(16, np.float32), np.zeros(64, np.float32)
    run(accepted("08"), "reductions", [x, c, r])
    np.testing.assert_allclose(c, x.astype(np.float64).sum(1), rtol=1e-6)
    np.testing.assert_allclose(r, x.astype(np.float64).sum(0), rtol=1e-6)


@pytest.mark.parametrize("rows, blocks", [(16, 1), (64, 1), (64, 3), (16, 4)])
def test_softmax(rows: int, blocks: int) -> None:
    x, y = normal(1, rows, 128) * np.float32(10), np.zeros((rows, 128), np.float32)
    for seed in SEEDS:
        run(accepted("10"), "softmax", [x, y, rows], blocks=blocks, seed=seed)
        e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
        np.testing.assert_allclose(y, e / e.sum(1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("k", [64, 128, 320])
def test_matmul(k: int) -> None:
    a, b = normal(1, 128, k, dtype=np.float16), normal(2, k, 128, dtype=np.float16)
    y = np.zeros((128, 128), np.float16)
    run(accepted("11"), "matmul", [a, b, y, k])
    np.testing.assert_allclose(y, (a.astype(np.float64) @ b.astype(np.float64)), rtol=2e-3, atol=2e-3)


def test_matmul_of_transposes_with_bias() -> None:
    a, b, v = normal(1, 64, 32, dtype=BF16), normal(2, 96, 64, dtype=BF16), normal(3, 96)
    y = np.zeros((32, 96), np.float32)
    run(accepted("12"), "matmul_tt_bias", [a, b, v, y])
    np.testing.assert_allclose(y, a.astype(np.float64).T @ b.astype(np.float64).T + v, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("n, limit", [(16, 3), (80, 2), (96, 1)])
def test_flow(n: int, limit: int) -> None:
    x, y = normal(1, n, 64), np.zeros((16, 64), np.float32)
    flags = np.array([1, 0, 5, -2, 7, 1], np.int32)[: n // 16]
    s = flags.copy()
    run(accepted("13"), "flow", [x, s, y, n, limit])
    want, count = np.zeros((16, 64), np.float32), 0
    for k, flag in enumerate(flags):
        if flag > 0:
            want += x[16 * k : 16 * k + 16]
            count += 1
    while count > limit:
        count -= limit
    np.testing.assert_array_equal(y, want)
    assert s[0] == count and (s[1:] == flags[1:]).all()


@pytest.mark.parametrize("blocks", [1, 2, 5])
def test_atomic_store(blocks: int) -> None:
    x = np.random.default_rng(1).integers(-9, 9, (16 * blocks, 64)).astype(np.float32)
    for seed in SEEDS:
        y = np.ones((16, 64), np.float32)
        run(accepted("16"), "add_into", [x, y], blocks=blocks, seed=seed)
        np.testing.assert_array_equal(y, 1 + x.reshape(blocks, 16, 64).sum(0))


def test_remote_memory() -> None:
    for seed in SEEDS:
        windows, local = [normal(k, 16, 64) for k in (1, 2)], [normal(k, 16, 64) for k in (3, 4)]
        mine = [one.copy() for one in local]
        cells = [np.zeros(8, np.int32) for _ in range(2)]
        run(accepted("18"), "remote", [Window(windows), PerRank(local), Window(cells), Context(), PerRank([1, 0])], ranks=2, seed=seed)
        for rank in range(2):
            # put, then put adding; then get: the sum of both puts.
            np.testing.assert_array_equal(windows[rank], mine[1 - rank] + mine[1 - rank])
            np.testing.assert_array_equal(local[rank], windows[1 - rank])
            assert cells[rank][0] == 1


@pytest.mark.parametrize("rows", [32, 96, 512])
def test_pipe_cube_to_vector(rows: int) -> None:
    a, b = normal(1, rows, 32, dtype=np.float16), normal(2, 32, 32, dtype=np.float16)
    for seed in SEEDS[: 8 if rows < 512 else 4]:
        y, workspace = np.zeros((rows, 32), np.float32), np.zeros(8192, np.float32)
        run(accepted("19"), "mm", [a, b, y, workspace, rows], seed=seed)
        np.testing.assert_allclose(y, np.exp(a.astype(np.float64) @ b.astype(np.float64)), rtol=1e-5)


def test_pipe_in_blocks() -> None:
    """Every block has its shard of the workspace; all of them write the same rows."""
    a, b = normal(1, 96, 32, dtype=np.float16), normal(2, 32, 32, dtype=np.float16)
    for seed in SEEDS:
        y, workspace = np.zeros((96, 32), np.float32), np.zeros(3 * 8192, np.float32)
        run(accepted("19"), ("mm_aic", "mm_aiv"), [a, b, y, workspace, 96], blocks=3, seed=seed)
        np.testing.assert_allclose(y, np.exp(a.astype(np.float64) @ b.astype(np.float64)), rtol=1e-5)


def test_pipe_both_ways() -> None:
    for seed in SEEDS:
        workspace, y = np.zeros(8192, np.float32), np.zeros((32, 32), np.float32)
        run(accepted("20"), "pp", [workspace, y], seed=seed)
        np.testing.assert_array_equal(y, np.full((32, 32), 33, np.float32))


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_mesh_allreduce(ranks: int) -> None:
    for seed in range(20):
        windows = [normal(100 * seed + rank, 16 * ranks, 64) for rank in range(ranks)]
        want = np.zeros_like(windows[0])
        for one in windows:
            want = want + one
        cells = [np.zeros(ranks, np.int32) for _ in range(ranks)]
        run(accepted("21"), "allreduce", [Window(windows), Window(cells), 1, 2, 3, Context()], ranks=ranks, seed=seed)
        for one in windows:
            np.testing.assert_array_equal(one, want)
        assert all((one == 3).all() for one in cells)


@pytest.mark.parametrize("eps", [1e-5, 0.5])
def test_rms_norm(eps: float) -> None:
    x, g, y = normal(1, 16, 128, dtype=BF16), normal(2, 128), np.zeros((16, 128), BF16)
    run(accepted("22"), "rmsnorm", [x, g, y, eps])
    wide = x.astype(np.float64)
    want = wide / np.sqrt((wide * wide).mean(1, keepdims=True) + eps) * g
    np.testing.assert_allclose(y.astype(np.float64), want, rtol=8e-3, atol=1e-6)


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_carried_scalars(n: int) -> None:
    p, q = np.zeros(2, np.int32), np.zeros(1, np.float32)
    run(accepted("23"), "carried", [p, q, n, 3, 5, 0.1])
    a, b, total = 3, 5, np.float32(0)
    for _ in range(n):
        a, b = b, a + b
        total = total + np.float32(0.1)
    if n % 2:
        a, b = b, a
    assert p.tolist() == [a, b] and q[0] == total


def test_manual_sync() -> None:
    x, y, w = normal(1, 16, 64), np.zeros((16, 64), np.float32), np.zeros(8, np.int32)
    for blocks in (1, 4):
        run(accepted("24"), "manual", [x, y, w], blocks=blocks)
        np.testing.assert_allclose(y, np.exp(x), rtol=1e-6)


def test_matmul_with_addresses() -> None:
    a, b = normal(1, 32, 128, dtype=np.float16), normal(2, 64, 128, dtype=np.float16)
    y = np.zeros((32, 64), np.float32)
    run(accepted("25"), "matmul_nt", [a, b, y])
    np.testing.assert_allclose(y, a.astype(np.float64) @ b.astype(np.float64).T, rtol=1e-5, atol=1e-4)


def test_signals() -> None:
    """The module waits for one value with every comparison: with those that hold it ends, with the others it cannot."""
    text = accepted("17")

    def only(*names: str) -> str:
        kept = [one for one in text.split("\n") if "comm.twait" not in one or any(f"wait_cmp {name}>" in one for name in names)]
        return "\n".join(kept)

    for seed in SEEDS:
        cells = [np.zeros(4, np.int32) for _ in range(2)]
        run(only("eq", "ge", "le"), "signals", [Window(cells), Context(), PerRank([1, 0]), 0], ranks=2, seed=seed)
        assert [one[0] for one in cells] == [1, 0]
        for name in ("ne", "gt", "lt"):
            message = rf"deadlock: 2 cores wait.*\n.*pto.comm.twait in @signals, rank 0.*%sig\[1\] {name} 0, the cell is 0"
            with pytest.raises(ExecutionFault, match=message):
                run(only(name), "signals", [Window(cells), Context(), PerRank([1, 0]), 0], ranks=2, seed=seed)
