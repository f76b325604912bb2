# A literal in a conditional takes the dtype of the other side, or of the element that is written.
import tilewire.language as pl


@pl.jit.incore
def kernel(
    y: pl.Out[pl.Tensor[[4], pl.FP32]],
    k: pl.Scalar[pl.INT32],
    n: pl.Scalar[pl.INDEX],
):
    a = k if n > 2 else 3
    y[0] = 1 if n > 0 else 2
    y[1] = 0.5 if a > 1 else (1 if n > 3 else 2)
    b = 7 if n > 4 else a
    y[2] = pl.cast(b, pl.FP32)
