# Rows are handed out in equal parts, so those that are left over are nobody's.
# run: tilewire check %s --ranks 2,3
# verdict: proved
import tilewire.language as pl
import tilewire.language.distributed as pld

ROWS = pl.dynamic("ROWS")
SHARE = pl.dynamic("SHARE")


@pl.jit.incore
def double(x: pl.Tensor[[SHARE, 8], pl.FP32], y: pl.Out[pl.Tensor[[SHARE, 8], pl.FP32]]):
    for i in pl.range(0, pl.dim(x, 0), 4):
        rows = min(pl.dim(x, 0) - i, 4)
        y = pl.store(pl.load(x, [i, 0], [4, 8], valid_shape=[rows, 8]) * 2.0, [i, 0], y)


@pl.jit.host
def main(
    x: pl.Tensor[[ROWS, 8], pl.FP32],
    y: pl.Out[pl.Tensor[[ROWS, 8], pl.FP32]],  # warned: unwritten
):
    share = pl.dim(x, 0) // pld.world_size()
    for r in pl.range(pld.world_size()):
        double(x[r * share : r * share + share], y[r * share : r * share + share], device=r)
