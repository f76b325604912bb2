# run: tilewire check %s 
# verdict: proved
"""An orchestration function reads an element that a task writes: it waits for the task."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def copy(x: pl.Tensor[[1, 8], pl.INT32], y: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):
    pl.store(pl.load(x), [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[1, 8], pl.INT32], y: pl.InOut[pl.Tensor[[1, 8], pl.INT32]], z: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):
    copy(x, y)
    pl.write(z, [0, 0], pl.read(y, [0, 0]))
