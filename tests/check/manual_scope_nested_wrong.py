# run: tilewire check %s 
# verdict: refuted
"""Two tasks in one manual scope are not ordered by data in an inner one, nor in a loop."""
import tilewire.language as pl


@pl.jit.incore
def copy(a: pl.Tensor[[1, 8], pl.FP32], b: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(a), [0, 0], b)  # found: race


@pl.jit
def main(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    t = pl.create_tensor([1, 8], dtype=pl.FP32)
    with pl.manual_scope():
        with pl.manual_scope():
            copy(x, t)
        for i in pl.range(1):
            with pl.manual_scope():
                copy(t, y)
