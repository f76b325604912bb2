"""Values carried through loops in loops and branches in loops."""
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
           stats: pl.Out[pl.Tensor[[4], pl.INT32]]):
    best = pl.full([16, 16], dtype=pl.FP32, value=-1.0)
    changes = pl.const(0, pl.INT32)
    largest = 0.0
    for i in pl.range(4):
        row_changes = pl.const(0, pl.INT32)
        for j in pl.range(4):
            t = pl.load(x, [i * 16, j * 16], [16, 16])
            corner = pl.read(t, [0, 0])
            if corner > largest:
                best = t
                largest = corner
                row_changes += 1
            else:
                best = pl.maximum(best, t)
        changes += row_changes
        stats[i] = row_changes
        if changes > 8:
            best = best * 0.5
    y = pl.store(best, [0, 0], y)
    return y, stats


@pl.jit
def main(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
         stats: pl.Out[pl.Tensor[[4], pl.INT32]]):
    y, stats = kernel(x, y, stats)
    return y, stats
