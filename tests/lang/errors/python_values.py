import tilewire.language as pl

M, N = (pl.dynamic(s) for s in "MN")
WIDTH = [8 for _ in range(1)][0]


@pl.jit.incore
def k(x: pl.Tensor[[M, 8], pl.FP32], y: pl.Out[pl.Tensor[[M, N], pl.FP32]]):
    y[0:4, 0:WIDTH] = pl.load(x, [0, 0], [4, 8])
