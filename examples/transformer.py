"""Two transformer layers in BF16: normalise, attend, normalise, feed forward, each with its residual.

Tensors are BF16, products add up in FP32, and every kernel rounds once, when it stores. The tasks of one `pl.parallel`
loop may run side by side; the next step starts when the tensors it reads are complete. Nothing else orders them.

    python examples/transformer.py
"""
import argparse
import math
from typing import Any

import ml_dtypes
import numpy as np

import tilewire.language as pl

LAYERS = 2
TOKENS = 64
WIDTH = 128
HEADS = 4
HEAD = WIDTH // HEADS
HIDDEN = 256
TN = 64  # columns of a result that one task computes
EPSILON = 1e-6
SCALE = 1.0 / math.sqrt(HEAD)


@pl.jit.inline
def gelu(t):
    return t * 0.5 * (pl.tanh((t + t * t * t * 0.044715) * math.sqrt(2.0 / math.pi)) + 1.0)


@pl.jit.incore
def rmsnorm(x, weight, y: pl.Out):
    t = pl.cast(pl.load(x), pl.FP32)
    scale = pl.rsqrt(pl.row_sum(t * t) * (1.0 / WIDTH) + EPSILON)
    y[...] = pl.cast(t * scale * pl.cast(pl.load(weight), pl.FP32), pl.BF16)


@pl.jit.incore
def project(x, w, col, y: pl.Out, activation="none"):
    """Columns of x @ w. `activation` is known when the program is read: each value makes a version of the kernel."""
    t = pl.matmul(pl.load(x), pl.load(w, [0, col], [w.shape[0], TN]))
    if activation == "gelu":
        t = gelu(t)
    y = pl.store(pl.cast(t, pl.BF16), [0, col], y)


@pl.jit.incore
def project_and_add(x, w, col, y: pl.InOut):
    """Columns of y + x @ w, in place."""
    t = pl.cast(pl.load(y, [0, col], [TOKENS, TN]), pl.FP32)
    t = t + pl.matmul(pl.load(x), pl.load(w, [0, col], [w.shape[0], TN]))
    y = pl.store(pl.cast(t, pl.BF16), [0, col], y)


@pl.jit.incore
def attend(qkv, head, y: pl.Out):
    q = pl.load(qkv, [0, head * HEAD], [TOKENS, HEAD])
    k = pl.load(qkv, [0, WIDTH + head * HEAD], [TOKENS, HEAD])
    v = pl.load(qkv, [0, 2 * WIDTH + head * HEAD], [TOKENS, HEAD])
    past = pl.arange([TOKENS, TOKENS], axis=1) <= pl.arange([TOKENS, TOKENS], axis=0)
    scores = pl.sel(past, pl.matmul(q, k, b_trans=True) * SCALE, -1e30)
    e = pl.exp(scores - pl.row_max(scores))
    weights = pl.cast(e / pl.row_sum(e), pl.BF16)
    y = pl.store(pl.matmul(weights, v, out_dtype=pl.BF16), [0, head * HEAD], y)


@pl.jit
def transformer(
    x: pl.InOut[pl.Tensor[[TOKENS, WIDTH], pl.BF16]],
    norms: pl.Tensor[[LAYERS, 2, WIDTH], pl.BF16],
    w_qkv: pl.Tensor[[LAYERS, WIDTH, 3 * WIDTH], pl.BF16],
    w_out: pl.Tensor[[LAYERS, WIDTH, WIDTH], pl.BF16],
    w_up: pl.Tensor[[LAYERS, WIDTH, HIDDEN], pl.BF16],
    w_down: pl.Tensor[[LAYERS, HIDDEN, WIDTH], pl.BF16],
):
    h = pl.create_tensor([TOKENS, WIDTH], dtype=pl.BF16)
    qkv = pl.create_tensor([TOKENS, 3 * WIDTH], dtype=pl.BF16)
    mixed = pl.create_tensor([TOKENS, WIDTH], dtype=pl.BF16)
    hidden = pl.create_tensor([TOKENS, HIDDEN], dtype=pl.BF16)
    for layer in pl.range(LAYERS):
        rmsnorm(x, norms[layer, 0], h)
        for col in pl.parallel(0, 3 * WIDTH, TN):
            project(h, w_qkv[layer], col, qkv)
        for head in pl.parallel(HEADS):
            attend(qkv, head, mixed)
        for col in pl.parallel(0, WIDTH, TN):
            project_and_add(mixed, w_out[layer], col, x)
        rmsnorm(x, norms[layer, 1], h)
        for col in pl.parallel(0, HIDDEN, TN):
            project(h, w_up[layer], col, hidden, activation="gelu")
        for col in pl.parallel(0, WIDTH, TN):
            project_and_add(hidden, w_down[layer], col, x)
    return x


def bf16(values: Any) -> Any:
    return np.asarray(values, np.float32).astype(ml_dtypes.bfloat16)


def reference(x: Any, norms: Any, w_qkv: Any, w_out: Any, w_up: Any, w_down: Any) -> Any:
    """The same in NumPy, rounded where the program stores."""

    def wide(values: Any) -> Any:
        return bf16(values).astype(np.float32)

    def rmsnorm(x: Any, weight: Any) -> Any:
        return wide(x / np.sqrt((x * x).mean(axis=1, keepdims=True) + EPSILON) * weight)

    x, norms, w_qkv, w_out, w_up, w_down = (wide(a) for a in (x, norms, w_qkv, w_out, w_up, w_down))
    future = np.triu(np.ones((TOKENS, TOKENS), bool), 1)
    for layer in range(LAYERS):
        q, k, v = np.split(wide(rmsnorm(x, norms[layer, 0]) @ w_qkv[layer]), 3, axis=1)
        mixed = np.empty_like(q)
        for head in range(HEADS):
            part = np.s_[:, head * HEAD : (head + 1) * HEAD]
            scores = q[part] @ k[part].T * np.float32(SCALE)
            scores[future] = -np.inf
            e = np.exp(scores - scores.max(axis=1, keepdims=True))
            mixed[part] = wide(wide(e / e.sum(axis=1, keepdims=True)) @ v[part])
        x = wide(x + mixed @ w_out[layer])
        t = rmsnorm(x, norms[layer, 1]) @ w_up[layer]
        hidden = wide(0.5 * t * (1 + np.tanh(math.sqrt(2 / math.pi) * (t + 0.044715 * t**3))))
        x = wide(x + hidden @ w_down[layer])
    return x


def main(target: str = "cpu") -> None:
    random = np.random.default_rng(1)

    def weights(*shape: int) -> Any:
        return bf16(random.standard_normal(shape) / math.sqrt(shape[-2]))

    x = bf16(random.standard_normal((TOKENS, WIDTH)))
    norms = bf16(1 + 0.1 * random.standard_normal((LAYERS, 2, WIDTH)))
    w_qkv, w_out = weights(LAYERS, WIDTH, 3 * WIDTH), weights(LAYERS, WIDTH, WIDTH)
    w_up, w_down = weights(LAYERS, WIDTH, HIDDEN), weights(LAYERS, HIDDEN, WIDTH)
    want = reference(x, norms, w_qkv, w_out, w_up, w_down)
    transformer(x, norms, w_qkv, w_out, w_up, w_down, target=target)  # in place
    difference = np.abs(x.astype(np.float32) - want)
    print(f"transformer: {LAYERS} layers, {TOKENS} tokens of {WIDTH} in BF16, largest error {difference.max():.1e}")
    # A sum taken in another order may round to the other neighbour, 2^-8 of the value apart; later kernels see it.
    assert np.all(difference <= 2.0**-6 * (1 + np.abs(want)))
    assert float(np.mean(difference == 0)) > 0.8


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a transformer in BF16, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
