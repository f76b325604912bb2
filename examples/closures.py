"""Function style: one text, many programs.

Parameters without annotation take their types from the call, so `scale_rows` is read once per shape and dtype it
is used with. `make_layer` is plain Python that makes a program: the functions inside see its arguments. The command
reads the functions at module level; what `make_layer` makes it gets from Python:

    tilewire print examples/closures.py
    tilewire print --python examples/closures.py:half
"""
from typing import Any

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
def main(
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

if __name__ == "__main__":
    for function in (main, half, double):
        print(function.program.as_python())
