"""Kernels and programs for test_emitted_runs.py, each with what NumPy says of it."""

from __future__ import annotations

import tilewire.language as pl
import tilewire.language.distributed as pld

M, N, NR, BLOCKS = pl.dynamic("M"), pl.dynamic("N"), pl.dynamic("NR"), pl.dynamic("BLOCKS")


# -- vectors ----------------------------------------------------------------------------------------------------------


@pl.jit.incore
def axpy_rows(a: pl.Scalar[pl.FP32], x: pl.Tensor[[M, 64], pl.FP32], y: pl.InOut[pl.Tensor[[M, 64], pl.FP32]], first: pl.Scalar[pl.INDEX]):
    rows = min(pl.dim(x, 0) - first, 16)
    t = pl.load(x, [first, 0], [16, 64], valid_shape=[rows, 64])
    u = pl.load(y, [first, 0], [16, 64], valid_shape=[rows, 64])
    y = pl.store(t * a + u, [first, 0], y)
    return y


@pl.jit
def axpy(a: pl.Scalar[pl.FP32], x: pl.Tensor[[M, 64], pl.FP32], y: pl.InOut[pl.Tensor[[M, 64], pl.FP32]]):
    for first in pl.parallel(0, pl.dim(x, 0), 16):
        y = axpy_rows(a, x, y, first)
    return y


@pl.jit.incore
def blend_ragged(x: pl.Tensor[[M, N], pl.FP32], y: pl.Out[pl.Tensor[[M, N], pl.FP32]]):
    for i in pl.range(0, pl.dim(x, 0), 16):
        rows = min(pl.dim(x, 0) - i, 16)
        for j in pl.range(0, pl.dim(x, 1), 32):
            cols = min(pl.dim(x, 1) - j, 32)
            t = pl.load(x, [i, j], [16, 32], valid_shape=[rows, cols])
            y = pl.store(pl.maximum(t, 0.0) - pl.exp(pl.minimum(t, 0.0)), [i, j], y)
    return y


@pl.jit
def blend(x: pl.Tensor[[M, N], pl.FP32], y: pl.Out[pl.Tensor[[M, N], pl.FP32]]):
    y = blend_ragged(x, y)
    return y


@pl.jit.incore
def softmax_kernel(x: pl.Tensor[[24, 96], pl.FP32], y: pl.Out[pl.Tensor[[24, 96], pl.FP32]]):
    t = pl.load(x)
    e = pl.exp(t - pl.row_max(t))
    y = pl.store(e / pl.row_sum(e), [0, 0], y)
    return y


@pl.jit
def softmax(x: pl.Tensor[[24, 96], pl.FP32], y: pl.Out[pl.Tensor[[24, 96], pl.FP32]]):
    y = softmax_kernel(x, y)
    return y


@pl.jit.incore
def layer_norm_kernel(
    x: pl.Tensor[[20, 128], pl.BF16], gamma: pl.Tensor[[128], pl.FP32], beta: pl.Tensor[[128], pl.FP32],
    y: pl.Out[pl.Tensor[[20, 128], pl.BF16]],
):
    t = pl.cast(pl.load(x), pl.FP32)
    centred = t - pl.row_sum(t) * (1.0 / 128)
    variance = pl.row_sum(centred * centred) * (1.0 / 128)
    y = pl.store(pl.cast(centred * pl.rsqrt(variance + 1e-5) * pl.load(gamma) + pl.load(beta), pl.BF16), [0, 0], y)
    return y


@pl.jit
def layer_norm(
    x: pl.Tensor[[20, 128], pl.BF16], gamma: pl.Tensor[[128], pl.FP32], beta: pl.Tensor[[128], pl.FP32],
    y: pl.Out[pl.Tensor[[20, 128], pl.BF16]],
):
    y = layer_norm_kernel(x, gamma, beta, y)
    return y


@pl.jit.incore
def casts_kernel(
    x: pl.Tensor[[16, 64], pl.FP32], i: pl.Out[pl.Tensor[[16, 64], pl.INT32]], h: pl.Out[pl.Tensor[[16, 64], pl.FP16]],
    b: pl.Out[pl.Tensor[[16, 64], pl.BF16]], s: pl.Out[pl.Tensor[[16, 64], pl.INT16]], c: pl.Out[pl.Tensor[[16, 64], pl.INT8]],
    back: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    t = pl.load(x)
    whole = pl.cast(t, pl.INT32)
    i = pl.store(whole, [0, 0], i)
    h = pl.store(pl.cast(t, pl.FP16), [0, 0], h)
    b = pl.store(pl.cast(t, pl.BF16), [0, 0], b)
    s = pl.store(pl.cast(t, pl.INT16), [0, 0], s)
    c = pl.store(pl.cast(t, pl.INT8), [0, 0], c)
    back = pl.store(pl.cast(whole, pl.FP32), [0, 0], back)
    return i, h, b, s, c, back


@pl.jit
def casts(
    x: pl.Tensor[[16, 64], pl.FP32], i: pl.Out[pl.Tensor[[16, 64], pl.INT32]], h: pl.Out[pl.Tensor[[16, 64], pl.FP16]],
    b: pl.Out[pl.Tensor[[16, 64], pl.BF16]], s: pl.Out[pl.Tensor[[16, 64], pl.INT16]], c: pl.Out[pl.Tensor[[16, 64], pl.INT8]],
    back: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    i, h, b, s, c, back = casts_kernel(x, i, h, b, s, c, back)
    return i, h, b, s, c, back


@pl.jit.incore
def integers_kernel(
    a: pl.Tensor[[8, 32], pl.INT32], b: pl.Tensor[[8, 32], pl.INT32], quotient: pl.Out[pl.Tensor[[8, 32], pl.INT32]],
    rest: pl.Out[pl.Tensor[[8, 32], pl.INT32]], bits: pl.Out[pl.Tensor[[8, 32], pl.INT32]], shifted: pl.Out[pl.Tensor[[8, 32], pl.INT32]],
):
    t, u = pl.load(a), pl.load(b)
    quotient = pl.store(t / u, [0, 0], quotient)
    rest = pl.store(pl.rem(t, u), [0, 0], rest)
    bits = pl.store(((t & u) | 12) ^ pl.not_(u), [0, 0], bits)
    shifted = pl.store(pl.shr(pl.shl(t, 3), 2), [0, 0], shifted)
    return quotient, rest, bits, shifted


@pl.jit
def integers(
    a: pl.Tensor[[8, 32], pl.INT32], b: pl.Tensor[[8, 32], pl.INT32], quotient: pl.Out[pl.Tensor[[8, 32], pl.INT32]],
    rest: pl.Out[pl.Tensor[[8, 32], pl.INT32]], bits: pl.Out[pl.Tensor[[8, 32], pl.INT32]], shifted: pl.Out[pl.Tensor[[8, 32], pl.INT32]],
):
    quotient, rest, bits, shifted = integers_kernel(a, b, quotient, rest, bits, shifted)
    return quotient, rest, bits, shifted


@pl.jit.incore
def choose_kernel(x: pl.Tensor[[16, 40], pl.FP32], z: pl.Tensor[[16, 40], pl.FP32], y: pl.Out[pl.Tensor[[16, 40], pl.FP32]]):
    t, u = pl.load(x), pl.load(z)
    inside = (t > -1.0) & (t <= u)
    y = pl.store(pl.sel(inside | (u == 0.0), t, u * 2.0), [0, 0], y)
    return y


@pl.jit
def choose(x: pl.Tensor[[16, 40], pl.FP32], z: pl.Tensor[[16, 40], pl.FP32], y: pl.Out[pl.Tensor[[16, 40], pl.FP32]]):
    y = choose_kernel(x, z, y)
    return y


@pl.jit.incore
def reduce_kernel(
    x: pl.Tensor[[16, 48], pl.FP32], rows: pl.Out[pl.Tensor[[16, 1], pl.FP32]], cols: pl.Out[pl.Tensor[[1, 48], pl.FP32]],
    at: pl.Out[pl.Tensor[[16, 1], pl.INT32]], lowest: pl.Out[pl.Tensor[[1, 48], pl.FP32]],
):
    t = pl.load(x)
    rows = pl.store(pl.row_sum(t) * 0.5 + pl.row_max(t), [0, 0], rows)
    cols = pl.store(pl.col_sum(t), [0, 0], cols)
    at = pl.store(pl.row_argmax(t), [0, 0], at)
    lowest = pl.store(pl.col_min(t), [0, 0], lowest)
    return rows, cols, at, lowest


@pl.jit
def reductions(
    x: pl.Tensor[[16, 48], pl.FP32], rows: pl.Out[pl.Tensor[[16, 1], pl.FP32]], cols: pl.Out[pl.Tensor[[1, 48], pl.FP32]],
    at: pl.Out[pl.Tensor[[16, 1], pl.INT32]], lowest: pl.Out[pl.Tensor[[1, 48], pl.FP32]],
):
    rows, cols, at, lowest = reduce_kernel(x, rows, cols, at, lowest)
    return rows, cols, at, lowest


@pl.jit.incore
def columns_kernel(x: pl.Tensor[[12, 64], pl.FP32], y: pl.Out[pl.Tensor[[12, 64], pl.FP32]]):
    t = pl.load(x)
    low, high = pl.row_min(t), pl.row_max(t)
    width = pl.sqrt(high - low) + 1.0
    y = pl.store((t - low) / width, [0, 0], y)
    return y


@pl.jit
def columns(x: pl.Tensor[[12, 64], pl.FP32], y: pl.Out[pl.Tensor[[12, 64], pl.FP32]]):
    y = columns_kernel(x, y)
    return y


@pl.jit.incore
def activations_kernel(
    x: pl.Tensor[[16, 32], pl.FP32], a: pl.Out[pl.Tensor[[16, 32], pl.FP32]], b: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
    c: pl.Out[pl.Tensor[[16, 32], pl.FP32]], d: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
):
    t = pl.load(x)
    a = pl.store(pl.sigmoid(t), [0, 0], a)
    b = pl.store(pl.tanh(t), [0, 0], b)
    c = pl.store(pl.gelu(t), [0, 0], c)
    d = pl.store(pl.sin(t) + pl.cos(t), [0, 0], d)
    return a, b, c, d


@pl.jit
def activations(
    x: pl.Tensor[[16, 32], pl.FP32], a: pl.Out[pl.Tensor[[16, 32], pl.FP32]], b: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
    c: pl.Out[pl.Tensor[[16, 32], pl.FP32]], d: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
):
    a, b, c, d = activations_kernel(x, a, b, c, d)
    return a, b, c, d


@pl.jit.incore
def shapes_kernel(
    x: pl.Tensor[[16, 32], pl.FP32], turned: pl.Out[pl.Tensor[[32, 16], pl.FP32]], wide: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
    flat: pl.Out[pl.Tensor[[8, 64], pl.FP32]], sums: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
):
    t = pl.load(x)
    turned = pl.store(pl.transpose(t), [0, 0], turned)
    wide = pl.store(pl.concat([t, t * 2.0], axis=1), [0, 0], wide)
    flat = pl.store(pl.reshape(t, [8, 64]), [0, 0], flat)
    sums = pl.store(pl.cumsum(t, axis=0), [0, 0], sums)
    return turned, wide, flat, sums


@pl.jit
def shapes(
    x: pl.Tensor[[16, 32], pl.FP32], turned: pl.Out[pl.Tensor[[32, 16], pl.FP32]], wide: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
    flat: pl.Out[pl.Tensor[[8, 64], pl.FP32]], sums: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
):
    turned, wide, flat, sums = shapes_kernel(x, turned, wide, flat, sums)
    return turned, wide, flat, sums


@pl.jit.incore
def along_kernel(
    x: pl.Tensor[[8, 64], pl.FP32], index: pl.Tensor[[8, 64], pl.INT32], picked: pl.Out[pl.Tensor[[8, 64], pl.FP32]],
    numbers: pl.Out[pl.Tensor[[8, 64], pl.INT32]],
):
    t, k = pl.load(x), pl.load(index)
    picked = pl.store(pl.gather(t, k), [0, 0], picked)
    numbers = pl.store(pl.arange([8, 64], axis=1, start=5, dtype=pl.INT32), [0, 0], numbers)
    return picked, numbers


@pl.jit
def along(
    x: pl.Tensor[[8, 64], pl.FP32], index: pl.Tensor[[8, 64], pl.INT32], picked: pl.Out[pl.Tensor[[8, 64], pl.FP32]],
    numbers: pl.Out[pl.Tensor[[8, 64], pl.INT32]],
):
    picked, numbers = along_kernel(x, index, picked, numbers)
    return picked, numbers


@pl.jit.incore
def sort_kernel(x: pl.Tensor[[4, 128], pl.FP32], values: pl.Out[pl.Tensor[[4, 128], pl.FP32]], at: pl.Out[pl.Tensor[[4, 128], pl.INT32]]):
    sorted_values, labels = pl.sort32(pl.load(x))
    sorted_values, labels = pl.mrgsort(sorted_values, labels)
    values = pl.store(sorted_values, [0, 0], values)
    at = pl.store(labels, [0, 0], at)
    return values, at


@pl.jit
def sort_rows(x: pl.Tensor[[4, 128], pl.FP32], values: pl.Out[pl.Tensor[[4, 128], pl.FP32]], at: pl.Out[pl.Tensor[[4, 128], pl.INT32]]):
    values, at = sort_kernel(x, values, at)
    return values, at


# -- scalars ----------------------------------------------------------------------------------------------------------


@pl.jit.incore
def carries_kernel(n: pl.Scalar[pl.INT32], out: pl.Out[pl.Tensor[[8], pl.INT32]]):
    a, b = pl.cast(0, pl.INT32), pl.cast(1, pl.INT32)
    for i in pl.range(n):
        a, b = b, a + b
    x, y, z = pl.cast(1, pl.INT32), pl.cast(2, pl.INT32), pl.cast(3, pl.INT32)
    for i in pl.range(n):
        x, y, z = z, x, y
    left, rounds = n, pl.cast(0, pl.INT32)
    while left > 1:
        if left % 2 == 0:
            left = left // 2
        else:
            left = 3 * left + 1
        rounds = rounds + 1
    p, q = pl.cast(7, pl.INT32), n
    while q < 100:
        p, q = q, p + q
    out = pl.write(out, [0], a)
    out = pl.write(out, [1], b)
    out = pl.write(out, [2], x)
    out = pl.write(out, [3], y)
    out = pl.write(out, [4], z)
    out = pl.write(out, [5], rounds)
    out = pl.write(out, [6], p)
    out = pl.write(out, [7], (0 - n) // 4 * 100 + (0 - n) % 4)
    return out


@pl.jit
def carries(n: pl.Scalar[pl.INT32], out: pl.Out[pl.Tensor[[8], pl.INT32]]):
    out = carries_kernel(n, out)
    return out


@pl.jit.incore
def mixed_access_kernel(x: pl.InOut[pl.Tensor[[4, 32], pl.FP32]], y: pl.Out[pl.Tensor[[4, 32], pl.FP32]]):
    first = pl.read(x, [0, 0])
    x = pl.write(x, [1, 3], first * 2.0)
    t = pl.load(x)
    x = pl.store(t + 1.0, [0, 0], x)
    again = pl.read(x, [0, 0])
    y = pl.store(t * again, [0, 0], y)
    return x, y


@pl.jit
def mixed_access(x: pl.InOut[pl.Tensor[[4, 32], pl.FP32]], y: pl.Out[pl.Tensor[[4, 32], pl.FP32]]):
    x, y = mixed_access_kernel(x, y)
    return y


# -- products ---------------------------------------------------------------------------------------------------------


@pl.jit.incore
def product_kernel(a: pl.Tensor[[32, 96], pl.FP16], b: pl.Tensor[[96, 64], pl.FP16], y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]):
    acc = pl.matmul(pl.load(a, [0, 0], [32, 32]), pl.load(b, [0, 0], [32, 64]))
    for k in pl.range(32, 96, 32):
        acc = pl.matmul_acc(acc, pl.load(a, [0, k], [32, 32]), pl.load(b, [k, 0], [32, 64]))
    y = pl.store(acc, [0, 0], y)
    return y


@pl.jit
def product(a: pl.Tensor[[32, 96], pl.FP16], b: pl.Tensor[[96, 64], pl.FP16], y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]):
    y = product_kernel(a, b, y)
    return y


@pl.jit.incore
def transposed_kernel(a: pl.Tensor[[64, 32], pl.BF16], b: pl.Tensor[[48, 64], pl.BF16], y: pl.Out[pl.Tensor[[32, 48], pl.FP32]]):
    y = pl.store(pl.matmul(pl.load(a), pl.load(b), a_trans=True, b_trans=True), [0, 0], y)
    return y


@pl.jit
def transposed_product(a: pl.Tensor[[64, 32], pl.BF16], b: pl.Tensor[[48, 64], pl.BF16], y: pl.Out[pl.Tensor[[32, 48], pl.FP32]]):
    y = transposed_kernel(a, b, y)
    return y


@pl.jit.incore(attrs={"split": pl.SplitMode.UP_DOWN})
def scores_kernel(q: pl.Tensor[[BLOCKS, 32, 64], pl.FP16], k: pl.Tensor[[64, 64], pl.FP16], y: pl.Out[pl.Tensor[[BLOCKS, 32, 64], pl.FP32]]):
    block = pl.tile.get_block_idx()
    s = pl.matmul(pl.load(q, [block, 0, 0], [1, 32, 64]), pl.load(k), b_trans=True)
    e = pl.exp(s - pl.row_max(s))
    y = pl.store(e / pl.row_sum(e), [block, 0, 0], y)
    return y


@pl.jit
def scores(q: pl.Tensor[[BLOCKS, 32, 64], pl.FP16], k: pl.Tensor[[64, 64], pl.FP16], y: pl.Out[pl.Tensor[[BLOCKS, 32, 64], pl.FP32]]):
    with pl.spmd(pl.dim(q, 0)):
        y = scores_kernel(q, k, y)
    return y


@pl.jit.incore
def add_up_kernel(x: pl.Tensor[[M, 32], pl.FP32], y: pl.InOut[pl.Tensor[[1, 32], pl.FP32]]):
    block = pl.tile.get_block_idx()
    y = pl.store(pl.load(x, [block, 0], [1, 32]), [0, 0], y, atomic=pld.AtomicType.Add)
    return y


@pl.jit
def add_up(x: pl.Tensor[[M, 32], pl.FP32], y: pl.InOut[pl.Tensor[[1, 32], pl.FP32]]):
    with pl.spmd(pl.dim(x, 0)):
        y = add_up_kernel(x, y)
    return y


# -- ranks ------------------------------------------------------------------------------------------------------------


@pl.jit.incore
def mesh_kernel(
    x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]], rows: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    ctx = pld.get_comm_ctx(rows)
    me, ranks = pld.rank(ctx), pld.nranks(ctx)
    rows = pl.store(pl.load(x), [0, 0], rows)
    for peer in pl.range(ranks):
        pld.system.notify(signal, peer, [me, 0], 1)
    for source in pl.range(ranks):
        pld.system.wait(signal, [source, 0], 1)
    total = pl.full([1, 64], dtype=pl.FP32, value=0.0)
    for source in pl.range(ranks):
        total = total + pld.tile.remote_load(rows, source, [0, 0], [1, 64])
    y = pl.store(total, [0, 0], y)
    return y


@pl.jit.host
def mesh_sum(x: pl.Tensor[[NR, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 64], pl.FP32]]):
    rows = pld.alloc_window([1, 64], dtype=pl.FP32)
    signal = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        mesh_kernel(x[r : r + 1, :], y[r : r + 1, :], rows, signal, device=r)


@pl.jit.incore
def allreduce_kernel(
    x: pl.Tensor[[8, 64], pl.FP32], y: pl.Out[pl.Tensor[[8, 64], pl.FP32]], rows: pl.InOut[pld.DistributedTensor[[8, 64], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    rows = pl.store(pl.load(x), [0, 0], rows)
    rows = pld.tensor.allreduce(rows, signal)
    y = pl.store(pl.load(rows), [0, 0], y)
    return y


@pl.jit.host
def allreduce_twice(x: pl.Tensor[[NR, 8, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 8, 64], pl.FP32]]):
    rows = pld.alloc_window([8, 64], dtype=pl.FP32)
    signal = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        allreduce_kernel(x[r], y[r], rows, signal, device=r)
        allreduce_kernel(y[r], y[r], rows, signal, device=r)


@pl.jit.incore
def ring_kernel(
    x: pl.Tensor[[4, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[4, 64], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[4, 64], pl.FP32]],
):
    ctx = pld.get_comm_ctx(w)
    peer = (pld.rank(ctx) + 1) % pld.nranks(ctx)
    pld.tensor.put(w, peer, x)
    pld.system.notify(s, peer, [0, 0], 1)
    pld.system.wait(s, [0, 0], 1)
    y = pl.store(pl.load(w), [0, 0], y)
    return y


@pl.jit.host
def ring_shift(x: pl.Tensor[[NR, 4, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 4, 64], pl.FP32]]):
    w = pld.alloc_window([4, 64], dtype=pl.FP32)
    s = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        ring_kernel(x[r], w, s, y[r], device=r)


@pl.jit.incore
def across_kernel(
    x: pl.Tensor[[16, 24], pl.FP32], b: pl.Tensor[[16, 5], pl.BF16], flags: pl.InOut[pl.Tensor[[16, 5], pl.BOOL]],
    numbers: pl.InOut[pl.Tensor[[16, 3], pl.INT64]], y: pl.Out[pl.Tensor[[16, 1], pl.FP32]],
):
    """Columns that lie across the rows of a tensor, of elements that few ops have."""
    high = pl.row_max(pl.load(x))
    flags = pl.store(high > 2.0, [0, 2], flags)
    before = pl.load(numbers, [0, 1], [16, 1])
    numbers = pl.store(pl.cast(pl.cast(high * 8.0, pl.INT32), pl.INT64), [0, 0], numbers)
    y = pl.store(pl.cast(pl.load(b, [0, 3], [16, 1]), pl.FP32) + pl.cast(pl.cast(before, pl.INT32), pl.FP32), [0, 0], y)
    return flags, numbers, y


@pl.jit
def across(
    x: pl.Tensor[[16, 24], pl.FP32], b: pl.Tensor[[16, 5], pl.BF16], flags: pl.InOut[pl.Tensor[[16, 5], pl.BOOL]],
    numbers: pl.InOut[pl.Tensor[[16, 3], pl.INT64]], y: pl.Out[pl.Tensor[[16, 1], pl.FP32]],
):
    flags, numbers, y = across_kernel(x, b, flags, numbers, y)
    return flags, numbers, y


@pl.jit.incore
def one_extent_kernel(
    x: pl.Tensor[[21, 46], pl.FP32], z: pl.Tensor[[21, 46], pl.FP32], cols: pl.Scalar[pl.INT64], n: pl.Scalar[pl.INT64],
    y: pl.InOut[pl.Tensor[[21, 46], pl.FP32]],
):
    """The extent of a full tile with a ragged one, on its way through a branch."""
    ragged = pl.load(z, [0, 0], [21, 46], valid_shape=[21, cols])
    t = pl.sel(ragged == pl.load(x), pl.load(x), ragged)
    if n > 2:
        t = t + pl.minimum(t, 2.0)
    y = pl.store(t, [0, 0], y)
    return y


@pl.jit
def one_extent(
    x: pl.Tensor[[21, 46], pl.FP32], z: pl.Tensor[[21, 46], pl.FP32], cols: pl.Scalar[pl.INT64], n: pl.Scalar[pl.INT64],
    y: pl.InOut[pl.Tensor[[21, 46], pl.FP32]],
):
    y = one_extent_kernel(x, z, cols, n, y)
    return y


@pl.jit.incore
def odd_elements_kernel(
    x: pl.Tensor[[8, 32], pl.UINT8], i: pl.Tensor[[8, 32], pl.INT64], y: pl.Out[pl.Tensor[[8, 32], pl.UINT8]],
    counts: pl.Out[pl.Tensor[[8, 32], pl.INT64]], flags: pl.Out[pl.Tensor[[8, 32], pl.BOOL]],
):
    t = pl.load(x)
    y = pl.store(t * pl.read(t, [0, 0]) + pl.div(t, 0), [0, 0], y)
    counts = pl.store(pl.arange([8, 32], axis=0, start=3, dtype=pl.INT64), [0, 0], counts)
    flags = pl.store(pl.cast(pl.load(i), pl.BOOL), [0, 0], flags)
    return y, counts, flags


@pl.jit
def odd_elements(
    x: pl.Tensor[[8, 32], pl.UINT8], i: pl.Tensor[[8, 32], pl.INT64], y: pl.Out[pl.Tensor[[8, 32], pl.UINT8]],
    counts: pl.Out[pl.Tensor[[8, 32], pl.INT64]], flags: pl.Out[pl.Tensor[[8, 32], pl.BOOL]],
):
    y, counts, flags = odd_elements_kernel(x, i, y, counts, flags)
    return y, counts, flags
