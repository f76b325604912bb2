# run: tilewire check %s
# verdict: proved
"""Four blocks fill a tensor. Each writes its row."""
import tilewire.language as pl


@pl.jit.incore
def fill(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    pl.store(pl.load(x), [pl.tile.get_block_idx(), 0], y)


@pl.jit
def main(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    with pl.spmd(4):
        fill(x, y)
