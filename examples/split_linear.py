"""A linear layer split over ranks in one kernel, which runs as a cube and a vector half on each rank.

Each rank multiplies with its rows of the weight; the products are summed over the ranks and go through the activation.
With `split="split"` the products are made on the cube half and go through a pipe to the vector half, which does all that
others can see: it stores them in the window, meets the other ranks in the allreduce, and applies the activation.

    python examples/split_linear.py --ranks 4
    tilewire check examples/split_linear.py --ranks 2,3,4 --split split
"""
import argparse
from typing import Any

import numpy as np

import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
BATCH = 32
STRIPE = 16  # rows that are multiplied at a time
SLICE = 64
OUT = 128


@pl.jit.incore
def layer(
    x: pl.Tensor[[BATCH, SLICE], pl.FP32],
    w: pl.Tensor[[SLICE, OUT], pl.FP32],
    bias: pl.Tensor[[OUT], pl.FP32],
    partial: pl.InOut[pld.DistributedTensor[[BATCH, OUT], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[BATCH, OUT], pl.FP32]],
):
    for row in pl.range(0, BATCH, STRIPE):
        product = pl.matmul(pl.load(x, [row, 0], [STRIPE, SLICE]), pl.load(w, [0, 0], [SLICE, OUT]))
        partial = pl.store(product, [row, 0], partial)
    partial = pld.tensor.allreduce(partial, signal)
    for row in pl.range(0, BATCH, STRIPE):
        total = pl.load(partial, [row, 0], [STRIPE, OUT]) + pl.load(bias, [0], [OUT])
        y = pl.store(pl.maximum(total, 0.0), [row, 0], y)
    return y


@pl.jit.host
def linear(
    x: pl.Tensor[[NR, BATCH, SLICE], pl.FP32],
    w: pl.Tensor[[NR, SLICE, OUT], pl.FP32],
    bias: pl.Tensor[[OUT], pl.FP32],
    y: pl.Out[pl.Tensor[[NR, BATCH, OUT], pl.FP32]],
):
    partial = pld.alloc_window([BATCH, OUT], dtype=pl.FP32)
    signal = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        layer(x[r], w[r], bias, partial, signal, y[r], device=r)


def main(ranks: int = 4, **how: Any) -> None:
    random = np.random.default_rng(1)
    x = random.integers(-4, 5, (ranks, BATCH, SLICE)).astype(np.float32)
    w = random.integers(-4, 5, (ranks, SLICE, OUT)).astype(np.float32)
    bias = random.integers(-4, 5, OUT).astype(np.float32)
    want = np.maximum((x @ w).sum(axis=0) + bias, 0)
    for split in ("fused", "split"):
        y = np.zeros((ranks, BATCH, OUT), np.float32)
        linear(x, w, bias, y, ranks=ranks, split=split, **how)
        for r in range(ranks):
            assert np.array_equal(y[r], want)
    print(f"split linear: {ranks} ranks have relu(x @ w + bias) of {want.shape}, fused and in two halves")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a linear layer in a kernel of two halves, compared with NumPy")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(**vars(parser.parse_args()))
