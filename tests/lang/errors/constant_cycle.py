import tilewire.language as pl


ROWS = COLS
COLS = ROWS


@pl.jit.incore
def kernel(x: pl.Tensor[[ROWS, 16], pl.FP32]):
    t = x
