# Reads back what the call has written, in another task and by rows.
# run: tilewire check %s
# verdict: proved
import tilewire.language as pl


@pl.jit.incore
def fill(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    for row in pl.range(16):
        y = pl.store(pl.load(x, [row, 0], [1, 64]), [row, 0], y)


@pl.jit.incore
def double(y: pl.InOut[pl.Tensor[[16, 64], pl.FP32]]):
    y = pl.store(pl.load(y) * 2.0, [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    fill(x, y)
    double(y)
