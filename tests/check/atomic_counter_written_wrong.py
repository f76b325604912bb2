# run: tilewire check %s --ranks 1 --shape y=4x8:FP32
# verdict: refuted
"""Blocks take rows from a counter in a plain tensor and write it as data in between."""
import tilewire.language as pl


@pl.jit.incore
def work(y: pl.InOut[pl.Tensor[[4, 8], pl.FP32]], next_row: pl.InOut[pl.Tensor[[1], pl.INT32]]):
    t = pl.full([1, 8], dtype=pl.FP32, value=1.0)
    row = pl.atomic_add(next_row, [0], 1)
    while row < 4:
        y = pl.store(t, [row, 0], y)
        next_row = pl.write(next_row, [0], row + 1)  # found: race
        row = pl.atomic_add(next_row, [0], 1)


@pl.jit
def main(y: pl.InOut[pl.Tensor[[4, 8], pl.FP32]]):
    next_row = pl.create_tensor([1], dtype=pl.INT32)
    next_row = pl.write(next_row, [0], 0)
    with pl.spmd(2):
        work(y, next_row)
    return y
