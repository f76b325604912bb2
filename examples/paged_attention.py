"""Attention of one new token per sequence over a paged cache of keys and values.

The cache is a pool of pages; a table says which pages hold which sequence. The kernel reads the table element by
element with plain subscripts, which give scalars, and uses them as offsets of loads. The last page of a sequence is
ragged: `valid_shape` cuts it, and the product, the maximum and the sum see only the tokens that are there.

    python examples/paged_attention.py
"""
import argparse
import math

import numpy as np

import tilewire.language as pl

BATCH = pl.dynamic("BATCH")
PAGES = pl.dynamic("PAGES")
HEAD = 64
PAGE = 16
MAX_PAGES = 8
SCALE = 1.0 / math.sqrt(HEAD)


@pl.jit.incore
def decode_one(
    query: pl.Tensor[[BATCH, HEAD], pl.FP32],
    keys: pl.Tensor[[PAGES, PAGE, HEAD], pl.FP32],
    values: pl.Tensor[[PAGES, PAGE, HEAD], pl.FP32],
    table: pl.Tensor[[BATCH, MAX_PAGES], pl.INT32],
    lengths: pl.Tensor[[BATCH], pl.INT32],
    b: pl.Scalar[pl.INDEX],
    out: pl.Out[pl.Tensor[[BATCH, HEAD], pl.FP32]],
):
    q = pl.load(query, [b, 0], [1, HEAD]) * SCALE
    length = lengths[b]
    peak = pl.full([1, 1], dtype=pl.FP32, value=-1e30)
    total = pl.full([1, 1], dtype=pl.FP32, value=0.0)
    acc = pl.full([1, HEAD], dtype=pl.FP32, value=0.0)
    for p in pl.range((length + PAGE - 1) // PAGE):
        page = table[b, p]
        there = min(length - p * PAGE, PAGE)
        k = pl.load(keys, [page, 0, 0], [1, PAGE, HEAD], valid_shape=[1, there, HEAD])
        v = pl.load(values, [page, 0, 0], [1, PAGE, HEAD], valid_shape=[1, there, HEAD])
        scores = pl.matmul(q, k, b_trans=True)
        new_peak = pl.maximum(peak, pl.row_max(scores))
        weights = pl.exp(scores - new_peak)
        fade = pl.exp(peak - new_peak)
        total = total * fade + pl.row_sum(weights)
        acc = acc * fade + pl.matmul(weights, v)
        peak = new_peak
    out = pl.store(acc / total, [b, 0], out)
    return out


@pl.jit
def paged_attention(
    query: pl.Tensor[[BATCH, HEAD], pl.FP32],
    keys: pl.Tensor[[PAGES, PAGE, HEAD], pl.FP32],
    values: pl.Tensor[[PAGES, PAGE, HEAD], pl.FP32],
    table: pl.Tensor[[BATCH, MAX_PAGES], pl.INT32],
    lengths: pl.Tensor[[BATCH], pl.INT32],
    out: pl.Out[pl.Tensor[[BATCH, HEAD], pl.FP32]],
):
    for b in pl.parallel(pl.dim(query, 0)):
        out = decode_one(query, keys, values, table, lengths, b, out)
    return out


def main(target: str = "cpu", batch: int = 5) -> None:
    random = np.random.default_rng(1)
    pages = batch * MAX_PAGES
    query = random.standard_normal((batch, HEAD), dtype=np.float32)
    keys, values = random.standard_normal((2, pages, PAGE, HEAD), dtype=np.float32)
    table = random.permutation(pages).reshape(batch, MAX_PAGES).astype(np.int32)
    lengths = random.integers(1, MAX_PAGES * PAGE + 1, batch, dtype=np.int32)
    out = np.empty_like(query)
    paged_attention(query, keys, values, table, lengths, out, target=target)
    want = np.empty_like(out)
    for b, length in enumerate(lengths):
        k = keys[table[b]].reshape(-1, HEAD)[:length]
        v = values[table[b]].reshape(-1, HEAD)[:length]
        scores = k @ query[b] * np.float32(SCALE)
        weights = np.exp(scores - scores.max())
        want[b] = weights @ v / weights.sum()
    error = float(np.max(np.abs(out - want)))
    print(f"paged attention: {batch} sequences of {lengths.min()} to {lengths.max()} tokens, largest error {error:.1e}")
    assert error < 1e-5  # results are weighted means of numbers below 5


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="paged attention, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
