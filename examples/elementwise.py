"""a * b + c on arrays of any length.

A tensor of one dimension loads as a tile of one row. Nothing touches memory between the three loads and the store:
the compiler makes one loop of the product and the sum. Each task takes CHUNK elements, so that submitting it costs
little next to its work; the last task and the last tile may cover fewer.

    python examples/elementwise.py
    tilewire run examples/elementwise.py --shape a=5000:FP32 --shape b=5000:FP32 --shape c=5000:FP32
"""
import argparse

import numpy as np

import tilewire.language as pl

N = pl.dynamic("N")
TILE = 4096
CHUNK = 16 * TILE


@pl.jit.incore
def multiply_add_chunk(
    a: pl.Tensor[[N], pl.FP32],
    b: pl.Tensor[[N], pl.FP32],
    c: pl.Tensor[[N], pl.FP32],
    first: pl.Scalar[pl.INDEX],
    y: pl.Out[pl.Tensor[[N], pl.FP32]],
):
    n = pl.dim(a, 0)
    for i in pl.range(first, min(first + CHUNK, n), TILE):
        left = [min(n - i, TILE)]
        ta = pl.load(a, [i], [TILE], valid_shape=left)
        tb = pl.load(b, [i], [TILE], valid_shape=left)
        tc = pl.load(c, [i], [TILE], valid_shape=left)
        y = pl.store(ta * tb + tc, [i], y)
    return y


@pl.jit
def multiply_add(
    a: pl.Tensor[[N], pl.FP32],
    b: pl.Tensor[[N], pl.FP32],
    c: pl.Tensor[[N], pl.FP32],
    y: pl.Out[pl.Tensor[[N], pl.FP32]],
):
    # The rounds write different parts of `y`: they may run in any order, and at the same time.
    for first in pl.parallel(0, pl.dim(a, 0), CHUNK):
        y = multiply_add_chunk(a, b, c, first, y)
    return y


def main(target: str = "cpu", n: int = 100_000) -> None:
    random = np.random.default_rng(1)
    a, b, c = (random.standard_normal(n, dtype=np.float32) for _ in range(3))
    y = np.zeros_like(a)
    multiply_add(a, b, c, y, target=target)  # `y` is written in place
    # Every op rounds once and nothing is contracted into an FMA: the same bits as NumPy.
    assert np.array_equal(y, a * b + c)
    print(f"elementwise: a * b + c of {n} elements, equal to NumPy bit by bit")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a * b + c, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
