"""The host dispatches kernels directly: one block, several blocks, to a constant rank, to every rank."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def scale(x: pl.Tensor[[64, 64], pl.FP32], k: pl.Scalar[pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    n = pl.tile.get_block_num()
    rows = 64 // n
    first = pl.tile.get_block_idx() * rows
    for r in pl.range(first, first + rows, 4):
        y = pl.store(pl.load(x, [r, 0], [4, 64]) * k, [r, 0], y)
    return y


@pl.jit.host
def host(x: pl.Tensor[[NR, 64, 64], pl.FP32], many: pl.Scalar[pl.INT32],
         y: pl.Out[pl.Tensor[[NR, 64, 64], pl.FP32]]):
    n = pld.world_size()
    scale(x[0], 2.0, y[0], device=0)
    for r in pl.range(1, n):
        scale(x[r], 0.5, y[r], device=r, blocks=8)
    if many > 1:
        for r in pl.range(n):
            scale(y[r], 1.5, y[r], device=r, blocks=many)
