# run: tilewire check %s 
# verdict: proved
"""Every round of a parallel loop has a scratch tensor of its own."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def copy(a: pl.Tensor[[1, 8], pl.FP32], b: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(a), [0, 0], b)


@pl.jit
def main(x: pl.Tensor[[3, 8], pl.FP32], y: pl.Out[pl.Tensor[[3, 8], pl.FP32]]):
    for i in pl.parallel(3):
        scratch = pl.create_tensor([1, 8], dtype=pl.FP32)
        copy(x[i:i + 1], scratch)
        copy(scratch, y[i:i + 1])
