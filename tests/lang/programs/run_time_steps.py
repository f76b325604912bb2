"""Loops whose step only a run knows: block-strided rows, counting down, and with `break`."""
import tilewire.language as pl


@pl.jit.incore
def strided(x: pl.Tensor[[64, 16], pl.FP32], y: pl.InOut[pl.Tensor[[64, 16], pl.FP32]], total: pl.Scalar[pl.INDEX]):
    block = pl.tile.get_block_idx()
    blocks = pl.tile.get_block_num()
    for row in pl.range(block, total, blocks):
        y = pl.store(pl.load(x, [row, 0], [1, 16]) * 2.0, [row, 0], y)


@pl.jit.incore
def until(y: pl.InOut[pl.Tensor[[64, 16], pl.FP32]], first: pl.Scalar[pl.INT32], by: pl.Scalar[pl.INT32]):
    for row in pl.range(first, 64, by):
        if row > 40:
            break
        y = pl.store(pl.full([1, 16], dtype=pl.FP32, value=1.0), [row, 0], y)


@pl.jit
def main(x: pl.Tensor[[64, 16], pl.FP32], y: pl.InOut[pl.Tensor[[64, 16], pl.FP32]], n: pl.Scalar[pl.INDEX], by: pl.Scalar[pl.INT32]):
    with pl.spmd(4):
        strided(x, y, n)
    for i in pl.parallel(0, 64, n):
        until(y, 0, by)
