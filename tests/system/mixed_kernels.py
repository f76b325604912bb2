"""Kernels that mix products and vector work, with what NumPy makes of their arguments."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import tilewire.language as pl

ROWS = pl.dynamic("ROWS")
SEQ = pl.dynamic("SEQ")


@dataclasses.dataclass
class Case:
    name: str
    program: Any
    make: Callable[[np.random.Generator], list[Any]]  # arguments, outputs left out
    expected: Callable[..., np.ndarray]  # of the same arguments
    tolerance: float = 1e-4
    by_rows: bool = True  # whether two vector lanes can share the work, by rows and by columns
    by_columns: bool = True


def normal(random: np.random.Generator, *shape: int) -> np.ndarray:
    return random.standard_normal(shape, dtype=np.float32)


def split_ways(case: Case) -> list[Case]:
    """The case with one vector lane, and with two by rows and by columns."""
    modes = (pl.SplitMode.NONE, pl.SplitMode.UP_DOWN, pl.SplitMode.LEFT_RIGHT)
    return [BUILDERS[case.name](mode) for mode in modes]


def vector_to_cube(mode: pl.SplitMode = pl.SplitMode.NONE) -> Case:
    @pl.jit.incore(attrs={"split": mode})
    def kernel(a: pl.Tensor[[64, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        s, t = pl.load(a, [0, 0], [64, 64]), pl.load(b, [0, 0], [64, 64])
        pl.store(pl.matmul(s + t, s - t), [0, 0], y)

    @pl.jit
    def main(a: pl.Tensor[[64, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        kernel(a, b, y)

    return Case("vector_to_cube", main, lambda r: [normal(r, 64, 64), normal(r, 64, 64)], lambda a, b: (a + b) @ (a - b))


def cube_to_vector(mode: pl.SplitMode = pl.SplitMode.NONE) -> Case:
    @pl.jit.incore(attrs={"split": mode})
    def kernel(a: pl.Tensor[[64, 96], pl.FP32], b: pl.Tensor[[96, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
        for i in pl.range(0, 64, 16):
            product = pl.matmul(pl.load(a, [i, 0], [16, 96]), pl.load(b, [0, 0], [96, 64]))
            pl.store(pl.load(c, [i, 0], [16, 64]) + product, [i, 0], c)

    @pl.jit
    def main(a: pl.Tensor[[64, 96], pl.FP32], b: pl.Tensor[[96, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
        kernel(a, b, c)

    def make(r):
        return [normal(r, 64, 96), normal(r, 96, 64), normal(r, 64, 64)]

    return Case("cube_to_vector", main, make, lambda a, b, c: c + a @ b)


def both_ways(mode: pl.SplitMode = pl.SplitMode.NONE) -> Case:
    @pl.jit.incore(attrs={"split": mode})
    def kernel(a: pl.Tensor[[64, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32], c: pl.Tensor[[64, 64], pl.FP32],
               y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        for i in pl.range(0, 64, 16):
            product = pl.matmul(pl.load(a, [i, 0], [16, 64]) + 1.0, pl.load(b, [0, 0], [64, 64]))
            pl.store(product + pl.load(c, [i, 0], [16, 64]), [i, 0], y)

    @pl.jit
    def main(a: pl.Tensor[[64, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32], c: pl.Tensor[[64, 64], pl.FP32],
             y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        kernel(a, b, c, y)

    return Case("both_ways", main, lambda r: [normal(r, 64, 64) for _ in range(3)], lambda a, b, c: (a + 1) @ b + c)


def bias_and_residual(mode: pl.SplitMode = pl.SplitMode.NONE) -> Case:
    @pl.jit.incore(attrs={"split": mode})
    def kernel(x: pl.Tensor[[ROWS, 64], pl.FP32], w: pl.Tensor[[64, 64], pl.FP32], bias: pl.Tensor[[64], pl.FP32],
               y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]):
        row = pl.tile.get_block_idx() * 16
        acc = pl.full([16, 64], dtype=pl.FP32, value=0.0)
        for k in pl.range(0, 64, 32):
            acc = pl.matmul_acc(acc, pl.load(x, [row, k], [16, 32]), pl.load(w, [k, 0], [32, 64]))
        residual = pl.load(x, [row, 0], [16, 64])
        pl.store(acc + pl.load(bias, [0], [64]) + residual, [row, 0], y)

    @pl.jit
    def main(x: pl.Tensor[[ROWS, 64], pl.FP32], w: pl.Tensor[[64, 64], pl.FP32], bias: pl.Tensor[[64], pl.FP32],
             blocks: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]):
        with pl.spmd(blocks):
            kernel(x, w, bias, y)

    def make(r, blocks=4):
        return [normal(r, blocks * 16, 64), normal(r, 64, 64), normal(r, 64), blocks]

    return Case("bias_and_residual", main, make, lambda x, w, bias, blocks: x @ w + bias + x)


def attention(mode: pl.SplitMode = pl.SplitMode.NONE) -> Case:
    @pl.jit.incore(attrs={"split": mode})
    def kernel(q: pl.Tensor[[SEQ, 64], pl.FP32], k: pl.Tensor[[SEQ, 64], pl.FP32], v: pl.Tensor[[SEQ, 64], pl.FP32],
               y: pl.Out[pl.Tensor[[SEQ, 64], pl.FP32]]):
        row = pl.tile.get_block_idx() * 32
        queries = pl.load(q, [row, 0], [32, 64])
        peak = pl.full([32, 1], dtype=pl.FP32, value=-1e30)
        total = pl.full([32, 1], dtype=pl.FP32, value=0.0)
        acc = pl.full([32, 64], dtype=pl.FP32, value=0.0)
        for at in pl.range(0, pl.dim(k, 0), 32):
            scores = pl.matmul(queries, pl.load(k, [at, 0], [32, 64]), b_trans=True) * 0.125
            new_peak = pl.maximum(peak, pl.row_max(scores))
            weights = pl.exp(scores - new_peak)
            fade = pl.exp(peak - new_peak)
            total = total * fade + pl.row_sum(weights)
            acc = acc * fade + pl.matmul(weights, pl.load(v, [at, 0], [32, 64]))
            peak = new_peak
        pl.store(acc / total, [row, 0], y)

    @pl.jit
    def main(q: pl.Tensor[[SEQ, 64], pl.FP32], k: pl.Tensor[[SEQ, 64], pl.FP32], v: pl.Tensor[[SEQ, 64], pl.FP32],
             y: pl.Out[pl.Tensor[[SEQ, 64], pl.FP32]]):
        with pl.spmd(pl.dim(q, 0) // 32):
            kernel(q, k, v, y)

    def expected(q, k, v):
        scores = q @ k.T * 0.125
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return weights @ v / weights.sum(axis=1, keepdims=True)

    return Case("attention", main, lambda r: [normal(r, 128, 64) for _ in range(3)], expected, by_columns=False)


BUILDERS = {build.__name__: build for build in (vector_to_cube, cube_to_vector, both_ways, bias_and_residual, attention)}


def cases() -> list[Case]:
    return [build() for build in BUILDERS.values()]
