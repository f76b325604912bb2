"""Blocks that add into one tensor, with rounding left to the order they come in."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def add_into(x: pl.Tensor[[128, 64], pl.FP32], total: pl.InOut[pl.Tensor[[16, 64], pl.FP32]]):
    b = pl.tile.get_block_idx()
    t = pl.load(x, [b * 16, 0], [16, 64])
    total = pl.store(t, [0, 0], total, atomic=pld.AtomicType.Add)
    return total


@pl.jit
def main(x: pl.Tensor[[128, 64], pl.FP32], total: pl.InOut[pl.Tensor[[16, 64], pl.FP32]]):
    with pl.spmd(8):
        total = add_into(x, total)
    return total
