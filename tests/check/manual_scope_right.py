# run: tilewire check %s 
# verdict: proved
"""In a manual scope a dependency says what comes first."""
import tilewire.language as pl


@pl.jit.incore
def copy(a: pl.Tensor[[1, 8], pl.FP32], b: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(a), [0, 0], b)


@pl.jit
def main(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    t = pl.create_tensor([1, 8], dtype=pl.FP32)
    with pl.manual_scope():
        with pl.spmd(1) as filled:
            copy(x, t)
        copy(t, y, deps=[filled])
