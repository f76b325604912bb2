# run: tilewire print %s --after simplify
"""A step that turns out to be 0 is an error of the run: it keeps a name, and the loop stays although it does nothing."""
import tilewire.language as pl


@pl.jit.incore
def kernel(y: pl.InOut[pl.Tensor[[4, 8], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    for j in pl.unroll(2):
        for i in pl.range(0, 10, j):
            y = pl.store(pl.load(y) * 2.0, [0, 0], y)
    for i in pl.range(0, 10, n - n):
        v = i + n
    for i in pl.range(0, n, n):
        v = i + n
