"""Tiled matrix product, one task per tile of the result.

The kernel and the loops around it leave out the types of their parameters and take them from the call: the same text
multiplies FP32 and BF16 matrices, adding up in FP32 both times. The sizes are known at the call and need not be
multiples of the tile.

    python examples/gemm.py
    tilewire run examples/gemm.py --entry gemm --shape a=256x128:FP32 --shape b=128x192:FP32
"""
import argparse

import ml_dtypes
import numpy as np

import tilewire.language as pl

M = pl.dynamic("M")
N = pl.dynamic("N")
K = pl.dynamic("K")
TM = 128
TN = 128
TK = 256


@pl.jit.incore
def multiply_tile(a, b, c: pl.Out):
    m = pl.dim(c, 0)
    n = pl.dim(c, 1)
    acc = pl.set_validshape(pl.full([TM, TN], dtype=pl.FP32, value=0.0), [m, n])
    for i in pl.range(0, pl.dim(a, 1), TK):
        k = min(pl.dim(a, 1) - i, TK)
        left = pl.load(a, [0, i], [TM, TK], valid_shape=[m, k])
        right = pl.load(b, [i, 0], [TK, TN], valid_shape=[k, n])
        acc = pl.matmul_acc(acc, left, right)
    pl.store(acc, [0, 0], c)  # its valid extent, which is that of the products


@pl.jit.inline
def multiply(a, b, c):
    for row in pl.parallel(0, M, TM):
        for col in pl.parallel(0, N, TN):
            # A task takes its part of `c` alone, so that no task has to wait for another.
            down, right = min(row + TM, M), min(col + TN, N)
            multiply_tile(a[row:down, :], b[:, col:right], c[row:down, col:right])


@pl.jit
def gemm(
    a: pl.Tensor[[M, K], pl.FP32],
    b: pl.Tensor[[K, N], pl.FP32],
    c: pl.Out[pl.Tensor[[M, N], pl.FP32]],
):
    multiply(a, b, c)
    return c


@pl.jit
def gemm_bf16(
    a: pl.Tensor[[M, K], pl.BF16],
    b: pl.Tensor[[K, N], pl.BF16],
    c: pl.Out[pl.Tensor[[M, N], pl.FP32]],
):
    multiply(a, b, c)
    return c


def main(target: str = "cpu", m: int = 150, n: int = 130, k: int = 200) -> None:
    random = np.random.default_rng(1)
    a = random.standard_normal((m, k), dtype=np.float32)
    b = random.standard_normal((k, n), dtype=np.float32)
    # Any order of adding up k products stays within k * eps * sum|products| of the exact value; FP32's eps is
    # 2^-23, and in practice the error is far below the bound. Products of BF16 numbers are exact in FP32.
    for run, dtype in ((gemm, np.float32), (gemm_bf16, ml_dtypes.bfloat16)):
        left, right = a.astype(dtype), b.astype(dtype)
        c = run(left, right, target=target)
        exact = left.astype(np.float64) @ right.astype(np.float64)
        bound = k * 2.0**-23 * (np.abs(left).astype(np.float64) @ np.abs(right).astype(np.float64))
        print(f"{left.dtype}: {m}x{k} times {k}x{n}, largest error {np.max(np.abs(c - exact)):.1e}")
        assert np.all(np.abs(c - exact) <= bound)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="tiled matrix product, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
