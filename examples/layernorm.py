"""Layer normalisation: every row minus its mean, over its standard deviation, then scaled and shifted by column.

A column [TILE, 1] and a row [1, HIDDEN] both meet the tile of [TILE, HIDDEN] in one expression: each is repeated
over the dimension it lacks.

    python examples/layernorm.py
"""
import argparse

import numpy as np

import tilewire.language as pl

ROWS = pl.dynamic("ROWS")
HIDDEN = 384
TILE = 32
EPSILON = 1e-5


@pl.jit.incore
def layernorm_rows(
    x: pl.Tensor[[ROWS, HIDDEN], pl.FP32],
    gamma: pl.Tensor[[HIDDEN], pl.FP32],
    beta: pl.Tensor[[HIDDEN], pl.FP32],
    first: pl.Scalar[pl.INDEX],
    y: pl.Out[pl.Tensor[[ROWS, HIDDEN], pl.FP32]],
):
    left = min(pl.dim(x, 0) - first, TILE)
    t = pl.load(x, [first, 0], [TILE, HIDDEN], valid_shape=[left, HIDDEN])
    # Twice over the row: the variance of what is left after the mean is gone does not suffer from cancellation.
    centred = t - pl.row_sum(t) * (1.0 / HIDDEN)
    variance = pl.row_sum(centred * centred) * (1.0 / HIDDEN)
    y = pl.store(centred * pl.rsqrt(variance + EPSILON) * pl.load(gamma) + pl.load(beta), [first, 0], y)
    return y


@pl.jit
def layernorm(
    x: pl.Tensor[[ROWS, HIDDEN], pl.FP32],
    gamma: pl.Tensor[[HIDDEN], pl.FP32],
    beta: pl.Tensor[[HIDDEN], pl.FP32],
    y: pl.Out[pl.Tensor[[ROWS, HIDDEN], pl.FP32]],
):
    for first in pl.parallel(0, pl.dim(x, 0), TILE):
        y = layernorm_rows(x, gamma, beta, first, y)
    return y


def main(target: str = "cpu", rows: int = 60) -> None:
    random = np.random.default_rng(1)
    x = random.standard_normal((rows, HIDDEN), dtype=np.float32) * 3 + 5
    gamma, beta = random.standard_normal((2, HIDDEN), dtype=np.float32)
    y = layernorm(x, gamma, beta, target=target)
    centred = x - x.mean(axis=1, keepdims=True)
    variance = (centred * centred).mean(axis=1, keepdims=True)
    want = centred / np.sqrt(variance + np.float32(EPSILON)) * gamma + beta
    error = float(np.max(np.abs(y - want)))
    print(f"layernorm: {rows} rows of {HIDDEN}, largest error {error:.1e}")
    assert error < 2e-5  # results are below 10; the sums are taken in another order


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="layer normalisation, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
