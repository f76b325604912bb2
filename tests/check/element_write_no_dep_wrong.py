# run: tilewire check %s 
# verdict: refuted
"""An orchestration function writes an element that a task taken out of the order reads."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def copy(x: pl.Tensor[[1, 8], pl.INT32], y: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):
    pl.store(pl.load(x), [0, 0], y)  # found: race


@pl.jit
def main(x: pl.InOut[pl.Tensor[[1, 8], pl.INT32]], y: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):
    copy(pl.no_dep(x), y)
    pl.write(x, [0, 0], pl.const(99, pl.INT32))
