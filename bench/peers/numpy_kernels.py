"""The kernels of the benchmark as one would write them in NumPy."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layernorm(x, gamma, beta, epsilon=1e-5):
    mean = x.mean(axis=1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=1, keepdims=True)
    return (x - mean) / np.sqrt(variance + np.float32(epsilon)) * gamma + beta


def multiply_add(a, b, c):
    return a * b + c


def causal_attention(q, k, v):
    """One head; q, k, v: [tokens, head]."""
    scores = q @ k.T * np.float32(1 / np.sqrt(q.shape[1]))
    scores[np.triu(np.ones(scores.shape, bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights @ v / weights.sum(axis=1, keepdims=True)


def causal_attention_blocks(q, k, v, block=256):
    """The same in blocks of queries, each against the keys it may see: half the work, and scores that fit the cache."""
    out = np.empty_like(q)
    scale = np.float32(1 / np.sqrt(q.shape[1]))
    future = np.triu(np.ones((block, block), bool), 1)
    for first in range(0, len(q), block):
        last = min(first + block, len(q))
        scores = q[first:last] @ k[:last].T * scale
        scores[:, first:][future[: last - first, : last - first]] = -np.inf
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        out[first:last] = weights @ v[:last] / weights.sum(axis=1, keepdims=True)
    return out
