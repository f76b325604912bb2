"""A layout says how elements lie in memory; which element an index names does not depend on it."""

import numpy as np
import pytest

import tilewire as tw
import tilewire.language as pl
from targets import TARGETS

PROGRAM = """
import tilewire.language as pl

@pl.jit.incore
def kernel(x: pl.Tensor[[4, 6], pl.FP32{x}], y: pl.Out[pl.Tensor[[6, 4], pl.FP32{y}]]):
    {body}
    return y

@pl.jit
def main(x: pl.Tensor[[4, 6], pl.FP32{x}], y: pl.Out[pl.Tensor[[6, 4], pl.FP32{y}]]):
    y = kernel(x, y)
    return y
"""

# The annotations of a [4, 6] and of a [6, 4] tensor.
LAYOUTS = {
    "none": ("", ""),
    "ND": (", pl.ND", ", pl.ND"),
    "DN": (", pl.DN", ", pl.DN"),
    "NZ": (", pl.NZ", ", pl.NZ"),
    "stride": (", pl.TensorView(stride=[6, 1])", ", pl.TensorView(stride=[4, 1])"),
    "stride DN": (
        ", pl.TensorView(stride=[1, 4], layout=pl.DN)",
        ", pl.TensorView(stride=[1, 6], layout=pl.DN)",
    ),
}

BODIES = {
    "part": "y = pl.store(pl.load(x[1:3, 2:5], [0, 0], [2, 3]), [2, 1], y)",
    "element": "pl.write(y, [2, 3], pl.read(x, [3, 2]))",
    "transpose": "y = pl.store(pl.load(pl.transpose(x, 0, 1), [0, 0], [6, 4]), [0, 0], y)",
    "whole": "y[...] = pl.transpose(x, 0, 1) + 1.0",
}
RESHAPE = "y = pl.store(pl.load(pl.reshape(x, [6, 4]), [0, 0], [6, 4]), [0, 0], y)"


def arrays(order):
    """A [4, 6] array and a [6, 4] one of zeros, with the elements in rows, in columns, or apart."""
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    if order == "apart":
        wide = np.zeros((8, 12), np.float32)
        wide[::2, ::2] = x
        return wide[::2, ::2], np.zeros((12, 8), np.float32)[::2, ::2]
    return np.array(x, order=order), np.zeros((6, 4), np.float32, order=order)


def expected(body, x):
    y = np.zeros((6, 4), np.float32)
    if body == "part":
        y[2:4, 1:4] = x[1:3, 2:5]
    elif body == "element":
        y[2, 3] = x[3, 2]
    else:
        y[...] = x.T + (body == "whole")
    return y


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_results_do_not_depend_on_layouts(layout, body, target):
    if layout == "NZ" and body in ("transpose", "whole"):
        pytest.skip("a tensor of blocks has no transposed view")
    text = PROGRAM.format(x=LAYOUTS[layout][0], y=LAYOUTS[layout][1], body=BODIES[body])
    exe = pl.parse(text).compile(entry="main", target=target)
    for order in ("C", "F", "apart"):
        x, y = arrays(order)
        exe(x, y)
        np.testing.assert_array_equal(y, expected(body, x), err_msg=order)


@pytest.mark.parametrize("layout", ["DN", "NZ", "stride"])
def test_a_laid_out_tensor_is_not_reshaped(layout):
    text = PROGRAM.format(x=LAYOUTS[layout][0], y="", body=RESHAPE)
    with pytest.raises(tw.ProgramError, match="needs a dense tensor, got one with strides"):
        pl.parse(text)


@pytest.mark.parametrize("target", TARGETS)
def test_a_strided_array_is_not_reshaped(target):
    exe = pl.parse(PROGRAM.format(x="", y="", body=RESHAPE)).compile(entry="main", target=target)
    x, y = arrays("C")
    exe(x, y)
    np.testing.assert_array_equal(y, x.reshape(6, 4))
    for order in ("F", "apart"):
        with pytest.raises(tw.RunError, match=r"`pl.tensor.reshape` cannot reshape"):
            exe(*arrays(order))
