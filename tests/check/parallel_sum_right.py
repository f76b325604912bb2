# run: tilewire check %s 
# verdict: proved
"""The rounds of a parallel loop add to one tensor atomically; what follows the loop sees the sum."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def add(a: pl.Tensor[[1, 8], pl.INT32], b: pl.InOut[pl.Tensor[[1, 8], pl.INT32]]):
    pl.store(pl.load(a), [0, 0], b, atomic=pld.AtomicType.Add)


@pl.jit.incore
def copy(a: pl.Tensor[[1, 8], pl.INT32], b: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):
    pl.store(pl.load(a), [0, 0], b)


@pl.jit
def main(x: pl.Tensor[[3, 8], pl.INT32], y: pl.InOut[pl.Tensor[[1, 8], pl.INT32]], z: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):
    for i in pl.parallel(3):
        add(x[i:i + 1], y)
    copy(y, z)
