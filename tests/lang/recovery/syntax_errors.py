"""Errors of syntax: what was found, what was expected; reading goes on after each."""
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    t = pl.load(x
    if t = 3:
        pass
    for i in pl.range(4)
        pass
    a = 1 +
    b = "not closed
    c = 07
    d = 3j
    if x:
    return y
        e = 1
    y = $
