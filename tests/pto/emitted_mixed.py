"""Kernels that mix products and vector work: what crosses between their halves."""

from __future__ import annotations

import tilewire.language as pl

M = pl.dynamic("M")
N = pl.dynamic("N")


@pl.jit.incore
def running_kernel(
    x: pl.Tensor[[M, 64], pl.FP32], w: pl.Tensor[[64, 32], pl.FP32], steps: pl.Tensor[[N], pl.INT32],
    y: pl.Out[pl.Tensor[[M, 32], pl.FP32]],
):
    """Extents that shrink from round to round, and a branch that takes one of two."""
    total = pl.full([32, 64], dtype=pl.FP32, value=1.0)
    for i in pl.range(pl.dim(steps, 0)):
        rows = pl.cast(steps[i], pl.INDEX)
        part = pl.load(x, [0, 0], [32, 64], valid_shape=[rows, 64])
        if rows > 7:
            total = total + part
        else:
            total = total * 2.0
    y = pl.store(pl.exp(pl.matmul(total * 0.125, pl.load(w))), [0, 0], y)
    return y


@pl.jit
def running(
    x: pl.Tensor[[M, 64], pl.FP32], w: pl.Tensor[[64, 32], pl.FP32], steps: pl.Tensor[[N], pl.INT32],
    y: pl.Out[pl.Tensor[[M, 32], pl.FP32]],
):
    running_kernel(x, w, steps, y)


@pl.jit.incore
def thin_kernel(
    x: pl.Tensor[[N, 24], pl.FP32], w: pl.Tensor[[24, 40], pl.FP32], v: pl.Tensor[[40, 1], pl.FP32],
    y: pl.Out[pl.Tensor[[N, 40], pl.FP32]], z: pl.Out[pl.Tensor[[N, 1], pl.FP32]],
):
    """One row, a column, and 5 rows, to the cube half and back."""
    for i in pl.range(pl.dim(x, 0)):
        row = pl.matmul(pl.load(x, [i, 0], [1, 24]) * 2.0, pl.load(w))
        y = pl.store(row + 1.0, [i, 0], y)
        z = pl.store(pl.matmul(row * 0.5, pl.load(v) + 1.0) * 3.0, [i, 0], z)


@pl.jit
def thin(
    x: pl.Tensor[[N, 24], pl.FP32], w: pl.Tensor[[24, 40], pl.FP32], v: pl.Tensor[[40, 1], pl.FP32],
    y: pl.Out[pl.Tensor[[N, 40], pl.FP32]], z: pl.Out[pl.Tensor[[N, 1], pl.FP32]],
):
    thin_kernel(x, w, v, y, z)


@pl.jit.incore
def counted_kernel(
    x: pl.Tensor[[M, 32], pl.FP16], w: pl.Tensor[[32, 32], pl.FP16], counts: pl.Tensor[[N, 8], pl.INT32],
    y: pl.InOut[pl.Tensor[[M, 32], pl.FP32]],
):
    """The cube half needs numbers that the vector half computes: more of them than a pipe has slots."""
    at = pl.tile.get_block_idx() * 64
    for i in pl.range(pl.dim(counts, 0)):
        line = pl.load(counts, [i, 0], [1, 8])
        rounds = pl.read(line + line, [0, 3])
        if rounds > 2:
            for r in pl.range(0, rounds, 2):
                part = pl.matmul(pl.load(x, [at + r * 8, 0], [16, 32]), pl.load(w))
                y = pl.store(pl.load(y, [at + r * 8, 0], [16, 32]) + part, [at + r * 8, 0], y)


@pl.jit
def counted(
    x: pl.Tensor[[M, 32], pl.FP16], w: pl.Tensor[[32, 32], pl.FP16], counts: pl.Tensor[[N, 8], pl.INT32],
    y: pl.InOut[pl.Tensor[[M, 32], pl.FP32]],
):
    with pl.spmd(pl.dim(x, 0) // 64):
        counted_kernel(x, w, counts, y)


@pl.jit.incore
def chain_kernel(
    a: pl.Tensor[[32, 48], pl.FP32], b: pl.Tensor[[48, 8], pl.FP32], c: pl.Tensor[[32, 8], pl.FP32],
    y: pl.Out[pl.Tensor[[32, 32], pl.FP32]], z: pl.Out[pl.Tensor[[8, 32], pl.FP32]],
):
    """Products of products, one of them turned; a product that is rounded on its way to the vector half."""
    ab = pl.matmul(pl.load(a), pl.load(b))
    y = pl.store(pl.matmul(ab, pl.load(c), b_trans=True), [0, 0], y)
    half = pl.matmul(pl.load(c), ab, a_trans=True, out_dtype=pl.FP16)
    z = pl.store(pl.concat([pl.cast(half, pl.FP32), pl.cast(half + half, pl.FP32), pl.full([8, 16], dtype=pl.FP32, value=1.0)], axis=1), [0, 0], z)


@pl.jit
def chain(
    a: pl.Tensor[[32, 48], pl.FP32], b: pl.Tensor[[48, 8], pl.FP32], c: pl.Tensor[[32, 8], pl.FP32],
    y: pl.Out[pl.Tensor[[32, 32], pl.FP32]], z: pl.Out[pl.Tensor[[8, 32], pl.FP32]],
):
    chain_kernel(a, b, c, y, z)


@pl.jit.incore
def wide_kernel(x: pl.Tensor[[128, 128], pl.FP32], w: pl.Tensor[[128, 128], pl.FP32], y: pl.Out[pl.Tensor[[128, 128], pl.FP32]]):
    """Eight slots of 64 KiB do not fit beside the tiles of the half that pops."""
    y = pl.store(pl.matmul(pl.load(x), pl.load(w)) * 2.0, [0, 0], y)


@pl.jit
def wide(x: pl.Tensor[[128, 128], pl.FP32], w: pl.Tensor[[128, 128], pl.FP32], y: pl.Out[pl.Tensor[[128, 128], pl.FP32]]):
    wide_kernel(x, w, y)


@pl.jit.incore
def kept_kernel(x: pl.Tensor[[M, 32], pl.FP32], y: pl.Out[pl.Tensor[[M, 32], pl.FP32]]):
    """A tile that the cube half needs after another pop: as left and right operand, as it is and turned."""
    t = pl.load(x, [0, 0], [32, 32], valid_shape=[min(pl.dim(x, 0), 32), 32]) * 0.5
    u = pl.matmul(t, t, b_trans=True)
    v = pl.exp(u) - 1.0
    w = pl.matmul(v, t)
    y = pl.store(w + pl.matmul(t, pl.matmul(t, t, a_trans=True)), [0, 0], y)


@pl.jit
def kept(x: pl.Tensor[[M, 32], pl.FP32], y: pl.Out[pl.Tensor[[M, 32], pl.FP32]]):
    kept_kernel(x, y)


@pl.jit.incore
def filled_kernel(w: pl.Tensor[[32, 24], pl.FP32], y: pl.Out[pl.Tensor[[16, 24], pl.FP32]], z: pl.Out[pl.Tensor[[16, 24], pl.FP32]]):
    """Operands that only the vector core can make."""
    y = pl.store(pl.matmul(pl.full([16, 32], dtype=pl.FP32, value=0.5), pl.load(w)), [0, 0], y)
    z = pl.store(pl.matmul(pl.arange([16, 32], axis=1, dtype=pl.FP32), pl.load(w)), [0, 0], z)


@pl.jit
def filled(w: pl.Tensor[[32, 24], pl.FP32], y: pl.Out[pl.Tensor[[16, 24], pl.FP32]], z: pl.Out[pl.Tensor[[16, 24], pl.FP32]]):
    filled_kernel(w, y, z)


@pl.jit.incore
def inner_kernel(x: pl.Tensor[[N, M], pl.FP32], w: pl.Tensor[[20, 8], pl.FP32], y: pl.Out[pl.Tensor[[N, 8], pl.FP32]]):
    """The inner extent is known at run time of one operand, and before of the other."""
    t = pl.load(x, [0, 0], [16, 24], valid_shape=[pl.dim(x, 0), pl.dim(x, 1)]) + 1.0
    y = pl.store(pl.matmul(t, pl.load(w, [0, 0], [24, 8], valid_shape=[20, 8])) * 2.0, [0, 0], y)


@pl.jit
def inner(x: pl.Tensor[[N, M], pl.FP32], w: pl.Tensor[[20, 8], pl.FP32], y: pl.Out[pl.Tensor[[N, 8], pl.FP32]]):
    inner_kernel(x, w, y)
