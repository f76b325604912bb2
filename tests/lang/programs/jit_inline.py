"""Function style with inline helpers; one helper is bound to another name."""
import tilewire.language as pl

LEVELS = [1.0, 0.5, 0.25]
SHAPE = (16, 64)


@pl.jit.inline
def polynomial(t, coefficients):
    acc = t * coefficients[0]
    if len(coefficients) > 1:
        acc = acc * t + coefficients[1]
    if len(coefficients) > 2:
        acc = acc * t + coefficients[2]
    return acc


@pl.jit.inline
def clamp(t, lo=-1.0, hi=1.0):
    return pl.minimum(pl.maximum(t, lo), hi)


limit = clamp


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    t = polynomial(pl.load(x, [0, 0], SHAPE), LEVELS)
    t = limit(t, hi=2.0)
    y = pl.store(t, [0, 0], y)
    return y


@pl.jit
def main(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    y = kernel(x, y)
    return y
