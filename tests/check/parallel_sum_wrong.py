# run: tilewire check %s 
# verdict: refuted
"""The rounds of a parallel loop add to one tensor."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def add(a: pl.Tensor[[1, 8], pl.INT32], b: pl.InOut[pl.Tensor[[1, 8], pl.INT32]]):
    pl.store(pl.load(a) + pl.load(b), [0, 0], b)  # found: race


@pl.jit
def main(x: pl.Tensor[[3, 8], pl.INT32], y: pl.InOut[pl.Tensor[[1, 8], pl.INT32]]):
    for i in pl.parallel(3):
        add(x[i:i + 1], y)
