"""Kernels for test_emitted_sums.py: sums that may hold nothing, memory that kernels make for themselves, ragged shapes."""

from __future__ import annotations

import tilewire.language as pl

M, N, ROWS = pl.dynamic("M"), pl.dynamic("N"), pl.dynamic("ROWS")


# -- sums in Acc that start as zeros --------------------------------------------------------------------------------------


@pl.jit.incore
def two_loops(a: pl.Tensor[[32, 64], pl.FP32], b: pl.Tensor[[64, 32], pl.FP32], n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INDEX],
              y: pl.Out[pl.Tensor[[32, 32], pl.FP32]]):
    """The second loop goes on where the first ended, which may be at zero."""
    acc = pl.full([32, 32], dtype=pl.FP32, value=0.0)
    for k in pl.range(n):
        acc = pl.matmul_acc(acc, pl.load(a, [0, k * 16], [32, 16]), pl.load(b, [k * 16, 0], [16, 32]))
    for k in pl.range(m):
        acc = pl.matmul_acc(acc, pl.load(a, [0, k * 16], [32, 16]), pl.load(b, [k * 16, 0], [16, 32]))
    y = pl.store(acc, [0, 0], y)


@pl.jit.incore
def one_branch(a: pl.Tensor[[32, 16], pl.FP16], b: pl.Tensor[[16, 32], pl.FP16], n: pl.Scalar[pl.INDEX],
               y: pl.Out[pl.Tensor[[2, 32, 32], pl.FP32]]):
    """The first sum holds something where `n` is odd, the second one where it is even, too."""
    acc = pl.full([32, 32], dtype=pl.FP32, value=0.0)
    if n % 2 == 1:
        acc = pl.matmul_acc(acc, pl.load(a), pl.load(b))
    y = pl.store(acc, [0, 0, 0], y)
    other = pl.full([32, 32], dtype=pl.FP32, value=0.0)
    if n % 2 == 1:
        other = pl.matmul_acc(other, pl.load(a), pl.load(b))
    else:
        other = pl.matmul(pl.load(b), pl.load(a), a_trans=True, b_trans=True)
    y = pl.store(other, [1, 0, 0], y)


@pl.jit.incore
def some_rounds(a: pl.Tensor[[32, 64], pl.FP32], b: pl.Tensor[[64, 32], pl.FP32], mask: pl.Tensor[[4], pl.INT32],
                y: pl.InOut[pl.Tensor[[40, 48], pl.FP32]]):
    """Rounds add where a number says so, in a loop that counts and in one that does not; the part of `y` around stays."""
    acc = pl.full([32, 32], dtype=pl.FP32, value=0.0)
    for k in pl.range(4):
        if pl.read(mask, [k]) != 0:
            acc = pl.matmul_acc(acc, pl.load(a, [0, k * 16], [32, 16]), pl.load(b, [k * 16, 0], [16, 32]))
    k = 0
    while k < 4:
        if pl.read(mask, [k]) == 2:
            acc = pl.matmul_acc(acc, pl.load(a, [0, k * 16], [32, 16]), pl.load(b, [k * 16, 0], [16, 32]))
        k += 1
    y = pl.store(acc, [8, 8], y)


# -- biases ---------------------------------------------------------------------------------------------------------------


@pl.jit.incore
def biased(x: pl.Tensor[[16, 32], pl.FP32], w: pl.Tensor[[32, 64], pl.FP32], bias: pl.Tensor[[64], pl.FP32],
           y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    y = pl.store(pl.relu(pl.matmul_bias(pl.load(x), pl.load(w), pl.load(bias, [0], [64]) * 2.0)), [0, 0], y)


@pl.jit.incore
def onto_others(x: pl.Tensor[[32, 32], pl.FP32], w: pl.Tensor[[32, 32], pl.FP32], n: pl.Scalar[pl.INDEX],
                y: pl.Out[pl.Tensor[[3, 32, 32], pl.FP32]]):
    """Products added to what memory and the vector core give, once and in rounds, and to a sum that one round changes."""
    t = pl.load(x)
    for i in pl.range(n):
        t = pl.matmul_acc(t, pl.load(x), pl.load(w))
    y = pl.store(t, [0, 0, 0], y)
    y = pl.store(pl.relu(pl.matmul_acc(pl.exp(pl.load(x)), pl.load(x), pl.load(w))), [1, 0, 0], y)
    s = pl.full([32, 32], dtype=pl.FP32, value=0.0)
    for i in pl.range(n):
        s = pl.matmul_acc(s, pl.load(x), pl.load(w))
        s = s * 0.5
    y = pl.store(s, [2, 0, 0], y)


@pl.jit.incore
def powers(x: pl.Tensor[[32, 32], pl.FP32], w: pl.Tensor[[32, 32], pl.FP32], n: pl.Scalar[pl.INDEX],
           y: pl.Out[pl.Tensor[[32, 32], pl.FP32]]):
    """A loop of products hands on a tile that the vector core made at first."""
    t = pl.exp(pl.load(x))
    for i in pl.range(n):
        t = pl.matmul(t, pl.load(w))
    y = pl.store(t * 2.0, [0, 0], y)


# -- memory of kernels ------------------------------------------------------------------------------------------------------


@pl.jit.incore
def through_memory(x: pl.Tensor[[ROWS, 64], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]):
    """Each block turns its rows in memory of its own, twice in a loop."""
    block = pl.tile.get_block_idx()
    own = pl.create_tensor([16, 64], dtype=pl.FP32)
    for i in pl.range(2):
        part = pl.create_tensor([8, 64], dtype=pl.FP32)
        part = pl.store(pl.load(x, [block * 16 + i * 8, 0], [8, 64]) * 2.0, [0, 0], part)
        own = pl.store(pl.load(part), [8 - i * 8, 0], own)
    y = pl.store(pl.load(own), [block * 16, 0], y)


@pl.jit
def in_blocks(x: pl.Tensor[[ROWS, 64], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]):
    with pl.spmd(pl.dim(x, 0) // 16):
        through_memory(x, y)


@pl.jit.incore
def of_the_shape(x: pl.Tensor[[M, N], pl.FP32], y: pl.Out[pl.Tensor[[M, N], pl.FP32]]):
    """A tensor as large as an argument, read back one row further up."""
    copy = pl.create_tensor([pl.dim(x, 0), pl.dim(x, 1)], dtype=pl.FP32)
    for i in pl.range(pl.dim(x, 0)):
        copy = pl.store(pl.load(x, [i, 0], [1, 32]), [i, 0], copy)
    for i in pl.range(pl.dim(x, 0)):
        y = pl.store(pl.load(copy, [pl.dim(x, 0) - 1 - i, 0], [1, 32]), [i, 0], y)


# -- shapes -----------------------------------------------------------------------------------------------------------------


@pl.jit.incore
def first_elements(x: pl.Tensor[[16, 32], pl.FP32], rows: pl.Scalar[pl.INDEX], cols: pl.Scalar[pl.INDEX],
                   y: pl.InOut[pl.Tensor[[8, 64], pl.FP32]], z: pl.InOut[pl.Tensor[[64, 8], pl.FP32]]):
    t = pl.load(x, [0, 0], [16, 32], valid_shape=[rows, cols])
    y = pl.store(pl.reshape(t, [8, 64]) + 1.0, [0, 0], y)
    z = pl.store(pl.reshape(t, [64, 8]), [0, 0], z)


# -- picking and adding up ----------------------------------------------------------------------------------------------------


@pl.jit.incore
def picked(x: pl.Tensor[[16, 32], pl.FP16], i: pl.Tensor[[16, 16], pl.INT32], j: pl.Tensor[[8, 32], pl.INT64], rows: pl.Scalar[pl.INDEX],
           a: pl.InOut[pl.Tensor[[16, 16], pl.FP16]], b: pl.Out[pl.Tensor[[8, 32], pl.FP16]], c: pl.Out[pl.Tensor[[8, 32], pl.BF16]],
           d: pl.Out[pl.Tensor[[1, 16], pl.FP16]]):
    t = pl.load(x)
    a = pl.store(pl.gather(t, pl.load(i, [0, 0], [16, 16], valid_shape=[rows, 16])), [0, 0], a)
    b = pl.store(pl.gather(t, pl.load(j), axis=0), [0, 0], b)
    c = pl.store(pl.gather(pl.cast(t, pl.BF16), pl.load(j), axis=0), [0, 0], c)
    d = pl.store(pl.gather(pl.load(x, [3, 0], [1, 32]), pl.load(i, [0, 0], [1, 16])), [0, 0], d)


@pl.jit.incore
def added_up(x: pl.Tensor[[16, 32], pl.FP32], h: pl.Tensor[[16, 32], pl.FP16], n: pl.Tensor[[16, 32], pl.UINT16], rows: pl.Scalar[pl.INDEX],
             y: pl.InOut[pl.Tensor[[16, 32], pl.FP32]], z: pl.Out[pl.Tensor[[16, 32], pl.FP16]], s: pl.Out[pl.Tensor[[16, 32], pl.UINT16]]):
    y = pl.store(pl.cumsum(pl.load(x, [0, 0], [16, 32], valid_shape=[rows, 32]), axis=0), [0, 0], y)
    z = pl.store(pl.cumsum(pl.load(h), axis=0), [0, 0], z)
    s = pl.store(pl.cumsum(pl.load(n), axis=0), [0, 0], s)


# -- columns that may be empty --------------------------------------------------------------------------------------------------


@pl.jit.incore
def thin(x: pl.Tensor[[16, 1], pl.FP32], cols: pl.Scalar[pl.INDEX], y: pl.InOut[pl.Tensor[[1, 1], pl.FP32]]):
    y = pl.store(pl.col_max(pl.load(x, [0, 0], [16, 1], valid_shape=[16, cols])), [0, 0], y)
