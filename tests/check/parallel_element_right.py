# run: tilewire check %s 
# verdict: proved
"""An element read waits for the tasks of every round of a parallel loop."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def copy(x: pl.Tensor[[1, 8], pl.INT32], y: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):
    pl.store(pl.load(x), [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[3, 8], pl.INT32], y: pl.InOut[pl.Tensor[[3, 8], pl.INT32]], z: pl.Out[pl.Tensor[[3, 8], pl.INT32]]):  # warned: unwritten
    for i in pl.parallel(3):
        copy(x[i:i + 1], y[i:i + 1])
        if i > 0:
            pl.write(z, [i, 0], pl.read(y, [i - 1, 0]))
