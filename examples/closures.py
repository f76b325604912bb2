"""Function style: one text, many programs.

Parameters without annotation take their types from the call, so `scale_rows` is read once per shape and dtype it
is used with. `make_layer` is plain Python that makes a program: the functions inside see its arguments. The command
reads the functions at module level; what `make_layer` makes it gets from Python:

    python examples/closures.py
    tilewire print examples/closures.py
    tilewire print --python examples/closures.py:half
"""
import argparse
from typing import Any

import numpy as np

import tilewire.language as pl

WIDTH = 64
ACTIVATION = "silu"


@pl.jit.inline
def activate(t):
    # Known when the program is read: only the branch that is taken becomes part of it.
    if ACTIVATION == "silu":
        return t * pl.sigmoid(t)
    else:
        return pl.relu(t)


@pl.jit.incore
def scale_rows(x, factor, y: pl.Out):
    y = pl.store(activate(pl.load(x)) * factor, [0, 0], y)
    return y


@pl.jit
def layers(
    a: pl.Tensor[[16, WIDTH], pl.FP32],
    b: pl.Tensor[[32, WIDTH], pl.FP32],
    factor: pl.Scalar[pl.FP32],
    a2: pl.Out[pl.Tensor[[16, WIDTH], pl.FP32]],
    b2: pl.Out[pl.Tensor[[32, WIDTH], pl.FP32]],
):
    a2 = scale_rows(a, factor, a2)
    b2 = scale_rows(b, factor, b2)  # another shape: a second version, `scale_rows_1`
    return a2, b2


def make_layer(rows: int, dtype: pl.DType, factor: float) -> Any:
    @pl.jit
    def layer(x: pl.Tensor[[rows, WIDTH], dtype], y: pl.Out[pl.Tensor[[rows, WIDTH], dtype]]):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="layer"):
            y[...] = activate(pl.load(x)) * factor
        return y

    return layer


half = make_layer(8, pl.FP16, 0.5)
double = make_layer(32, pl.FP32, 2.0)



def main(target: str = "cpu") -> None:
    random = np.random.default_rng(1)

    def silu(x: Any) -> Any:
        return x / (1 + np.exp(-x))

    a, b, x = (random.standard_normal((rows, WIDTH), dtype=np.float32) for rows in (16, 32, 8))
    a2, b2 = layers(a, b, 3.0, target=target)
    y = half(x.astype(np.float16), target=target)
    z = double(b, target=target)
    errors = [np.max(np.abs(a2 - silu(a) * 3)), np.max(np.abs(b2 - silu(b) * 3)), np.max(np.abs(z - silu(b) * 2))]
    error16 = np.max(np.abs(y - silu(x) * 0.5))
    print(f"closures: four programs of one text, largest error {max(errors):.1e}, in FP16 {error16:.1e}")
    # Results are below 12, and below 2 in FP16, which rounds the input and three ops.
    assert max(errors) < 1e-5 and error16 < 4e-3


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="programs made by Python functions, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
