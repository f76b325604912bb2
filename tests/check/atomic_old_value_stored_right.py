# run: tilewire check %s --ranks 1
# verdict: proved
"""Who comes first depends on the schedule, and so does a result that says so."""
import tilewire.language as pl


@pl.jit.incore
def work(y: pl.InOut[pl.Tensor[[2], pl.INT64]], count: pl.InOut[pl.Tensor[[1], pl.INT64]]):
    place = pl.atomic_add(count, [0], 1)
    y = pl.write(y, [pl.tile.get_block_idx()], place)  # warned: schedule


@pl.jit
def main(y: pl.InOut[pl.Tensor[[2], pl.INT64]]):
    count = pl.create_tensor([1], dtype=pl.INT64)
    count = pl.write(count, [0], 0)
    with pl.spmd(2):
        work(y, count)
    return y
