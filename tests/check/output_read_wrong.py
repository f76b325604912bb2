# Adds to an output that the call has not written.
# run: tilewire check %s
# verdict: proved
import tilewire.language as pl


@pl.jit.incore
def k(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    y = pl.store(pl.load(x, [0, 0], [8, 64]), [0, 0], y)
    t = pl.load(y, [0, 0], [8, 64])
    u = pl.load(y, [4, 0], [8, 64])  # warned: unwritten
    y = pl.store(t + u, [8, 0], y)
