"""RMS normalisation of BF16 rows: stored in 16 bits, computed in FP32.

Element types never change by themselves: the two casts are where the precision changes, and a reader sees them.
This is the class style: functions are methods, and the class is the program.

    python examples/rmsnorm.py
"""
import argparse

import ml_dtypes
import numpy as np

import tilewire.language as pl

ROWS = pl.dynamic("ROWS")
HIDDEN = 256
TILE = 16
EPSILON = 1e-6


@pl.program
class RmsNorm:
    @pl.function(type=pl.FunctionType.InCore)
    def rows(
        self,
        x: pl.Tensor[[ROWS, HIDDEN], pl.BF16],
        weight: pl.Tensor[[HIDDEN], pl.BF16],
        first: pl.Scalar[pl.INDEX],
        y: pl.Out[pl.Tensor[[ROWS, HIDDEN], pl.BF16]],
    ) -> pl.Tensor[[ROWS, HIDDEN], pl.BF16]:
        left = min(pl.dim(x, 0) - first, TILE)
        t = pl.cast(pl.load(x, [first, 0], [TILE, HIDDEN], valid_shape=[left, HIDDEN]), pl.FP32)
        w = pl.cast(pl.load(weight), pl.FP32)
        scale = pl.rsqrt(pl.row_sum(t * t) * (1.0 / HIDDEN) + EPSILON)
        y = pl.store(pl.cast(t * scale * w, pl.BF16), [first, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[ROWS, HIDDEN], pl.BF16],
        weight: pl.Tensor[[HIDDEN], pl.BF16],
        y: pl.Out[pl.Tensor[[ROWS, HIDDEN], pl.BF16]],
    ) -> pl.Tensor[[ROWS, HIDDEN], pl.BF16]:
        for first in pl.parallel(0, pl.dim(x, 0), TILE):
            y = self.rows(x, weight, first, y)
        return y


def main(target: str = "cpu", rows: int = 100) -> None:
    random = np.random.default_rng(1)
    x = random.standard_normal((rows, HIDDEN), dtype=np.float32).astype(ml_dtypes.bfloat16)
    weight = random.standard_normal(HIDDEN, dtype=np.float32).astype(ml_dtypes.bfloat16)
    y = np.zeros_like(x)
    RmsNorm.main(x, weight, y, target=target)
    wide = x.astype(np.float32)
    want = wide / np.sqrt((wide * wide).mean(axis=1, keepdims=True) + EPSILON) * weight.astype(np.float32)
    error = float(np.max(np.abs(y.astype(np.float32) - want) / np.abs(want)))
    print(f"rmsnorm: {rows} rows of {HIDDEN} in BF16, largest relative error {error:.1e}")
    # One rounding to BF16 at the end, at most half of 2^-7; the rest is FP32's and does not show.
    assert error <= 0.00391


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="RMS normalisation in BF16, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
