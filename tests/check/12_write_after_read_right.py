# run: tilewire check %s 
# verdict: proved
"""One task reads a tensor, the next one overwrites it. The writer comes after."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def copy(a: pl.Tensor[[1, 8], pl.FP32], b: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(a), [0, 0], b)


@pl.jit
def main(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]], z: pl.InOut[pl.Tensor[[1, 8], pl.FP32]]):
    copy(z, y)
    copy(x, z)
