# run: tilewire check %s --ranks 1
# verdict: refuted
"""Adding to an element releases; only those who use what was there know who came before."""
import tilewire.language as pl


@pl.jit.incore
def work(y: pl.InOut[pl.Tensor[[1, 8], pl.FP32]], total: pl.InOut[pl.Tensor[[1], pl.INT64]]):
    if pl.tile.get_block_idx() == 0:
        y = pl.store(pl.full([1, 8], dtype=pl.FP32, value=1.0), [0, 0], y)  # found: race
        pl.atomic_add(total, [0], 1)
    else:
        pl.atomic_add(total, [0], 1)
        y = pl.store(pl.load(y, [0, 0], [1, 8]) * 2.0, [0, 0], y)


@pl.jit
def main(y: pl.InOut[pl.Tensor[[1, 8], pl.FP32]], total: pl.InOut[pl.Tensor[[1], pl.INT64]]):
    with pl.spmd(2):
        work(y, total)
    return y
