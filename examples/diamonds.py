"""A task graph that makes itself: who writes what another reads goes first, everything else may run at once.

For each part of the rows four kernels form a diamond: `centre` feeds `spread` and `peak`, and `join` reads both. The
diamonds of different parts have nothing in common, since each kernel is given a slice, and its footprint is that
slice. Nothing says so anywhere: the order follows from what the kernels read and write.

    python examples/diamonds.py
"""
import argparse

import numpy as np

import tilewire.language as pl

PARTS = pl.dynamic("PARTS")
ROWS = 16
COLS = 64


@pl.jit.incore
def centre(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]):
    t = pl.load(x)
    y[...] = t - pl.row_sum(t) * (1.0 / COLS)
    return y


@pl.jit.incore
def spread(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, 1], pl.FP32]]):
    t = pl.load(x)
    y[...] = pl.sqrt(pl.row_sum(t * t) * (1.0 / COLS))
    return y


@pl.jit.incore
def peak(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, 1], pl.FP32]]):
    y[...] = pl.row_max(pl.abs(pl.load(x)))
    return y


@pl.jit.incore
def join(
    centred: pl.Tensor[[ROWS, COLS], pl.FP32],
    spreads: pl.Tensor[[ROWS, 1], pl.FP32],
    peaks: pl.Tensor[[ROWS, 1], pl.FP32],
    y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    y[...] = pl.load(centred) / (pl.load(spreads) + pl.load(peaks))
    return y


@pl.jit
def diamonds(x: pl.Tensor[[PARTS, ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[PARTS, ROWS, COLS], pl.FP32]]):
    for p in pl.parallel(pl.dim(x, 0)):
        # Tensors made here belong to the round, so two rounds share nothing.
        centred = pl.create_tensor([ROWS, COLS], dtype=pl.FP32)
        spreads = pl.create_tensor([ROWS, 1], dtype=pl.FP32)
        peaks = pl.create_tensor([ROWS, 1], dtype=pl.FP32)
        centred = centre(x[p], centred)
        spreads = spread(centred, spreads)
        peaks = peak(centred, peaks)
        join(centred, spreads, peaks, y[p])  # writes its part of `y` in place
    return y


def main(target: str = "cpu", parts: int = 9) -> None:
    x = np.random.default_rng(1).standard_normal((parts, ROWS, COLS), dtype=np.float32)
    y = diamonds(x, target=target)
    centred = x - x.mean(axis=2, keepdims=True)
    spreads = np.sqrt((centred * centred).mean(axis=2, keepdims=True))
    want = centred / (spreads + np.abs(centred).max(axis=2, keepdims=True))
    error = float(np.max(np.abs(y - want)))
    print(f"diamonds: {parts} of four tasks each, largest error {error:.1e}")
    assert error < 1e-6  # results are below 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a task graph of diamonds, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
