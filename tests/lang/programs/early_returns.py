"""Early returns, tuples as values, names swapped in a loop."""
import tilewire.language as pl


@pl.jit.incore
def k(x: pl.Tensor[[16, 64], pl.FP32], n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    if n > 3:
        return y, n + 1
    y = pl.store(pl.load(x), [0, 0], y)
    return y, n


@pl.jit.inline
def f(a):
    return (a, a + 1)


@pl.jit.incore
def g(n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[16], pl.INT32]]):
    p = f(n)
    a, b = p
    for i in pl.range(4):
        a, b = b, a
        c = (a, b)
        y[i] = c[0]
    return y
