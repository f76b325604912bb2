"""The largest entries of a row and where they were: sorted runs of 32, merged twice."""
import tilewire.language as pl


@pl.jit.incore
def top8(x: pl.Tensor[[4, 256], pl.FP32], best: pl.Out[pl.Tensor[[4, 8], pl.FP32]],
         where: pl.Out[pl.Tensor[[4, 8], pl.INT32]], third: pl.Out[pl.Tensor[[4], pl.FP32]]):
    values = pl.load(x)
    labels = pl.arange([4, 256], axis=1, dtype=pl.INT32)
    values, labels = pl.sort32(values, labels)
    values, labels = pl.mrgsort(values, labels, block_len=32)
    both = pl.mrgsort(values, labels, block_len=128)
    values = both[0]
    best = pl.store(values[0:4, 0:8], [0, 0], best)
    where = pl.store(both[1][0:4, 0:8], [0, 0], where)
    unlabelled = pl.sort32(pl.load(x))
    for i in pl.range(4):
        third = pl.write(third, [i], pl.read(unlabelled[0], [i, 2]))
    return best, where, third


@pl.jit
def main(x: pl.Tensor[[4, 256], pl.FP32], best: pl.Out[pl.Tensor[[4, 8], pl.FP32]],
         where: pl.Out[pl.Tensor[[4, 8], pl.INT32]], third: pl.Out[pl.Tensor[[4], pl.FP32]]):
    return top8(x, best, where, third)
