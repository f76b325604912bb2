# run: tilewire print %s -D HIDDEN=1024 --entry rmsnorm
"""Function style: the hidden size comes from the command line, parameter types of the kernel from the call."""
import tilewire.language as pl

EPS = 1e-6


@pl.jit.inline
def mean_square(t, width):
    return pl.row_sum(t * t) / float(width)


@pl.jit.incore
def rmsnorm_tile(x, weight, row, out: pl.Out):
    t = pl.load(x, [row, 0], [4, HIDDEN])
    w = pl.load(weight, [0, 0], [1, HIDDEN])
    scale = pl.rsqrt(mean_square(t, HIDDEN) + EPS)
    out = pl.store(t * scale * w, [row, 0], out)
    return out


@pl.jit
def rmsnorm(x: pl.Tensor[[64, HIDDEN], pl.FP32], weight: pl.Tensor[[1, HIDDEN], pl.FP32],
            out: pl.Out[pl.Tensor[[64, HIDDEN], pl.FP32]]):
    for row in pl.range(0, 64, 4):
        out = rmsnorm_tile(x, weight, row, out)
    return out
