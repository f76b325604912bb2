"""The targets this build of the package can run programs on."""

import numpy as np

import tilewire as tw
import tilewire.language as pl

TEXT = """
import tilewire.language as pl
@pl.jit.incore
def double(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    y = pl.store(pl.load(x) * 2.0, [0, 0], y)
    return y
"""


def _runs(target):
    """Whether it is there. A target that is there and fails is an error, not a reason to skip its tests."""
    x = np.arange(8, dtype=np.float32).reshape(1, 8)
    try:
        double = pl.parse(TEXT).compile(target=target)
    except tw.Error as error:
        if "TW2221" in str(error):  # built without it
            return False
        raise
    assert np.array_equal(double(x), x * 2)
    return True


# The interpreter is part of every build.
TARGETS = ["interp"] + ["cpu"] * _runs("cpu")
