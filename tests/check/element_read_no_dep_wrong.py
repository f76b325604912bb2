# run: tilewire check %s 
# verdict: refuted
"""An orchestration function reads an element that a task taken out of the order writes."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def copy(x: pl.Tensor[[1, 8], pl.INT32], y: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):
    pl.store(pl.load(x), [0, 0], y)  # found: race


@pl.jit
def main(x: pl.Tensor[[1, 8], pl.INT32], y: pl.InOut[pl.Tensor[[1, 8], pl.INT32]], z: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):
    copy(x, pl.no_dep(y))
    pl.write(z, [0, 0], pl.read(y, [0, 0]))
