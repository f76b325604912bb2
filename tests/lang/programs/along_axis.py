"""Reductions with NumPy's names and axis, `dot`, and Python's max and min beside them."""
import tilewire.language as pl

ROWS = 16


@pl.jit.incore
def on_tiles(x: pl.Tensor[[ROWS, 64], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]):
    t = pl.load(x)
    t = t - pl.max(t, axis=1)
    t = t / pl.sum(t, axis=-1)
    t = t - pl.tile.min(t, axis=0)
    t = t * pl.cast(max(n, min(ROWS, 8)), pl.FP32) + pl.cast(pl.max(n, 3), pl.FP32)
    y = pl.store(t + pl.max(t, -2), [0, 0], y)
    return y


@pl.jit
def main(x: pl.Tensor[[ROWS, 64], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]],
         z: pl.Out[pl.Tensor[[ROWS, ROWS], pl.FP32]], w: pl.Out[pl.Tensor[[2, 1, 64], pl.FP32]],
         p: pl.Tensor[[2, ROWS, 64], pl.FP32]):
    y = on_tiles(x, n, y)
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(x)
        z = pl.store(pl.dot(t, t, b_trans=True), [0, 0], z)
    with pl.at(level=pl.Level.CORE_GROUP):
        w[...] = pl.sum(p, axis=1)
    return y, z, w
