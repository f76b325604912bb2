"""Causal attention with an online softmax: the scores never exist as a whole.

Each task takes BQ queries of one head and walks over the keys in blocks of BK, keeping for every query the largest
score so far (`peak`), the sum of the weights (`total`) and the weighted sum of the values (`acc`). A block with a
larger score scales what was there before down. Blocks behind the queries are seen in full; only those on the
diagonal need the mask.

    python examples/flash_attention.py
"""
import argparse
import math

import numpy as np

import tilewire.language as pl

HEADS = pl.dynamic("HEADS")
SEQ = pl.dynamic("SEQ")
HEAD = 64
BQ = 64
BK = 64
SCALE = 1.0 / math.sqrt(HEAD)


@pl.program
class FlashAttention:
    @pl.function(type=pl.FunctionType.Inline)
    def fold(self, scores, tv, peak, total, acc):
        """One block of scores and values more."""
        new_peak = pl.maximum(peak, pl.row_max(scores))
        weights = pl.exp(scores - new_peak)
        fade = pl.exp(peak - new_peak)
        return new_peak, total * fade + pl.row_sum(weights), acc * fade + pl.matmul(weights, tv)

    @pl.function(type=pl.FunctionType.InCore)
    def attend(
        self,
        q: pl.Tensor[[HEADS, SEQ, HEAD], pl.FP32],
        k: pl.Tensor[[HEADS, SEQ, HEAD], pl.FP32],
        v: pl.Tensor[[HEADS, SEQ, HEAD], pl.FP32],
        head: pl.Scalar[pl.INDEX],
        row: pl.Scalar[pl.INDEX],
        out: pl.Out[pl.Tensor[[HEADS, SEQ, HEAD], pl.FP32]],
    ) -> pl.Tensor[[HEADS, SEQ, HEAD], pl.FP32]:
        length = pl.dim(q, 1)
        rows = min(length - row, BQ)
        tq = pl.load(q, [head, row, 0], [1, BQ, HEAD], valid_shape=[1, rows, HEAD]) * SCALE
        # Not minus infinity: its difference with itself is NaN.
        peak = pl.full([BQ, 1], dtype=pl.FP32, value=-1e30)
        total = pl.full([BQ, 1], dtype=pl.FP32, value=0.0)
        acc = pl.full([BQ, HEAD], dtype=pl.FP32, value=0.0)
        for col in pl.range(0, row, BK):
            tk = pl.load(k, [head, col, 0], [1, BK, HEAD])
            tv = pl.load(v, [head, col, 0], [1, BK, HEAD])
            scores = pl.matmul(tq, tk, b_trans=True)
            peak, total, acc = self.fold(scores, tv, peak, total, acc)
        query = pl.arange([BQ, BK], axis=0, start=pl.cast(row, pl.INT32), dtype=pl.INT32)
        for col in pl.range(row, row + rows, BK):
            keys = min(length - col, BK)
            tk = pl.load(k, [head, col, 0], [1, BK, HEAD], valid_shape=[1, keys, HEAD])
            tv = pl.load(v, [head, col, 0], [1, BK, HEAD], valid_shape=[1, keys, HEAD])
            key = pl.arange([BQ, BK], axis=1, start=pl.cast(col, pl.INT32), dtype=pl.INT32)
            scores = pl.sel(key <= query, pl.matmul(tq, tk, b_trans=True), -1e30)
            peak, total, acc = self.fold(scores, tv, peak, total, acc)
        out = pl.store(acc / total, [head, row, 0], out)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        q: pl.Tensor[[HEADS, SEQ, HEAD], pl.FP32],
        k: pl.Tensor[[HEADS, SEQ, HEAD], pl.FP32],
        v: pl.Tensor[[HEADS, SEQ, HEAD], pl.FP32],
        out: pl.Out[pl.Tensor[[HEADS, SEQ, HEAD], pl.FP32]],
    ) -> pl.Tensor[[HEADS, SEQ, HEAD], pl.FP32]:
        pl.static_assert(BQ % BK == 0, "blocks before the queries must end where the queries start")
        for head in pl.parallel(pl.dim(q, 0)):
            for row in pl.parallel(0, pl.dim(q, 1), BQ):
                out = self.attend(q, k, v, head, row, out)
        return out


def reference(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    scores = q @ k.swapaxes(1, 2) * np.float32(SCALE)
    scores[:, np.triu(np.ones(scores.shape[1:], bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    mean: np.ndarray = weights @ v / weights.sum(axis=2, keepdims=True)
    return mean


def main(target: str = "cpu", heads: int = 2, length: int = 150) -> None:
    random = np.random.default_rng(1)
    q, k, v = (random.standard_normal((heads, length, HEAD), dtype=np.float32) for _ in range(3))
    out = FlashAttention.main(q, k, v, target=target)
    error = float(np.max(np.abs(out - reference(q, k, v))))
    print(f"flash attention: {heads} heads, {length} tokens of {HEAD}, largest error {error:.1e}")
    assert error < 1e-5  # results are weighted means of numbers below 5


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="causal attention, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
