# run: tilewire check %s
# verdict: refuted
"""Four blocks fill a tensor. All of them write the first row."""
import tilewire.language as pl


@pl.jit.incore
def fill(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    pl.store(pl.load(x), [0, 0], y)  # found: shard


@pl.jit
def main(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    with pl.spmd(4):
        fill(x, y)
