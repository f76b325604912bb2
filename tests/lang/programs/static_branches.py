"""Branches decided when the program is read: strings, enums, dtypes, None, comparisons of constants."""
import tilewire.language as pl

MODE = "tanh"
SPACE = pl.Mem.Vec
OUT = pl.FP32
DEPTH = 3
BIAS = None


@pl.jit.inline
def activation(t, kind):
    if kind == "relu":
        return pl.relu(t)
    elif kind == "tanh":
        return pl.tanh(t)
    else:
        return t


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    pl.static_assert(DEPTH > 2, "deep enough")
    assert OUT == pl.FP32
    t = pl.load(x, [0, 0], [16, 64], target_memory=SPACE)
    t = activation(t, MODE)
    if SPACE == pl.Mem.Vec and DEPTH >= 3:
        t = t + 1.0
    if BIAS is not None:
        t = t + BIAS
    if not (OUT != pl.FP32 or DEPTH == 4):
        t = t * 2.0
    y = pl.store(t, [0, 0], y)
    return y


@pl.jit
def main(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    return kernel(x, y)
