"""Rotary position embedding: sines and cosines from an angle tile, halves swapped."""
import tilewire.language as pl

SEQ = pl.dynamic("SEQ")
HALF = 32


@pl.jit.inline
def rotate(a, b, c, s):
    return a * c - b * s, a * s + b * c


@pl.jit.incore
def rope(x: pl.Tensor[[SEQ, 2 * HALF], pl.FP32], frequency: pl.Tensor[[1, HALF], pl.FP32],
         y: pl.Out[pl.Tensor[[SEQ, 2 * HALF], pl.FP32]]):
    f = pl.load(frequency)
    for row in pl.range(0, pl.dim(x, 0), 16):
        position = pl.arange([16, HALF], axis=0, dtype=pl.FP32) + pl.cast(row, pl.FP32)
        angle = position * f
        c, s = pl.cos(angle), pl.sin(angle)
        low = pl.load(x, [row, 0], [16, HALF])
        high = pl.load(x, [row, HALF], [16, HALF])
        low, high = rotate(low, high, c, s)
        y = pl.store(low, [row, 0], y)
        y = pl.store(high, [row, HALF], y)
    return y


@pl.jit
def main(x: pl.Tensor[[SEQ, 2 * HALF], pl.FP32], frequency: pl.Tensor[[1, HALF], pl.FP32],
         y: pl.Out[pl.Tensor[[SEQ, 2 * HALF], pl.FP32]]):
    return rope(x, frequency, y)
