# run: tilewire check %s
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[3037000500, 3037000500], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    y[...] = pl.load(x, [0, 0], [4, 8])
