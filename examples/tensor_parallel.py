"""A linear layer split over ranks: each rank multiplies with its rows of the weight, the products are summed.

The sum is the built-in collective. `partial` is both the result of the multiplication and the window the
collective works on, so nothing is copied in between.

    python examples/tensor_parallel.py --ranks 4
    tilewire check examples/tensor_parallel.py --ranks 2,3,4
"""
import argparse
from typing import Any

import numpy as np

import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
BATCH = 16
SLICE = 64
OUT = 128


@pl.jit.incore
def multiply(
    x: pl.Tensor[[BATCH, SLICE], pl.FP16],
    w: pl.Tensor[[SLICE, OUT], pl.FP16],
    partial: pl.Out[pld.DistributedTensor[[BATCH, OUT], pl.FP32]],
):
    partial = pl.store(pl.matmul(pl.load(x), pl.load(w)), [0, 0], partial)
    return partial


@pl.jit.incore
def total(
    partial: pl.InOut[pld.DistributedTensor[[BATCH, OUT], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[BATCH, OUT], pl.FP32]],
):
    # The signal may serve any number of collectives, one after the other, and needs no reset in between.
    partial = pld.tensor.allreduce(partial, signal, op=pld.ReduceOp.Sum)
    y[...] = pl.load(partial)
    return y


@pl.jit
def chip(
    x: pl.Tensor[[BATCH, SLICE], pl.FP16],
    w: pl.Tensor[[SLICE, OUT], pl.FP16],
    partial: pl.InOut[pld.DistributedTensor[[BATCH, OUT], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[BATCH, OUT], pl.FP32]],
):
    partial = multiply(x, w, partial)
    y = total(partial, signal, y)
    return y


@pl.jit.host
def linear(
    x: pl.Tensor[[NR, BATCH, SLICE], pl.FP16],
    w: pl.Tensor[[NR, SLICE, OUT], pl.FP16],
    y: pl.Out[pl.Tensor[[NR, BATCH, OUT], pl.FP32]],
):
    partial = pld.alloc_window([BATCH, OUT], dtype=pl.FP32)
    signal = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        chip(x[r], w[r], partial, signal, y[r], device=r)


def main(ranks: int = 4, **how: Any) -> None:
    random = np.random.default_rng(1)
    x = random.integers(-4, 5, (ranks, BATCH, SLICE)).astype(np.float16)
    w = random.integers(-4, 5, (ranks, SLICE, OUT)).astype(np.float16)
    y = np.zeros((ranks, BATCH, OUT), np.float32)
    linear(x, w, y, ranks=ranks, **how)
    want = (x.astype(np.float32) @ w.astype(np.float32)).sum(axis=0)
    for r in range(ranks):
        assert np.array_equal(y[r], want)
    print(f"tensor parallel: {ranks} ranks have the sum of their products {x.shape[1:]} @ {w.shape[1:]}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a linear layer split over ranks, compared with NumPy")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(**vars(parser.parse_args()))
