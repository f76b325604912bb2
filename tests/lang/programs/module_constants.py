# Constants of a module: several at once, chained, unpacked; the last assignment counts.
import tilewire.language as pl

ROWS, COLS = 16, 32
HALF = ALSO_HALF = COLS // 2
SHAPE = [ROWS, COLS]
R, C = SHAPE
STEP = 3
STEP = 4


@pl.jit.incore
def kernel(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[R, C], pl.FP32]]):
    for i in pl.range(0, HALF + ALSO_HALF - COLS + ROWS, STEP):
        t = pl.load(x, [i, 0], [STEP, C])
        y = pl.store(t, [i, 0], y)
