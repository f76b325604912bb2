# run: tilewire print %s --split split --after expand_mixed_kernel
"""Valid extents that a loop and a branch change cross as scalars, which both halves compute."""
import tilewire.language as pl
M = pl.dynamic("M")
@pl.jit.incore
def kernel(x: pl.Tensor[[M, 32], pl.FP32], w: pl.Tensor[[32, 32], pl.FP32], y: pl.Out[pl.Tensor[[M, 32], pl.FP32]]):
        t = pl.full([16, 32], dtype=pl.FP32, value=1.0)
        for at in pl.range(0, pl.dim(x, 0), 16):
            rows = min(pl.dim(x, 0) - at, 16)
            if at > 0:
                t = t + pl.load(x, [at, 0], [16, 32], valid_shape=[rows, 32])
            else:
                t = t * 2.0
            y = pl.store(pl.exp(pl.matmul(t, pl.load(w))), [at, 0], y)

@pl.jit
def main(x: pl.Tensor[[M, 32], pl.FP32], w: pl.Tensor[[32, 32], pl.FP32], y: pl.Out[pl.Tensor[[M, 32], pl.FP32]]):
        kernel(x, w, y)
