# run: tilewire check %s 
# verdict: proved
"""Every entry is a scope of its own: tasks of different rounds are ordered by data, and so are those outside."""
import tilewire.language as pl


@pl.jit.incore
def copy(a: pl.Tensor[[1, 8], pl.FP32], b: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(a), [0, 0], b)


@pl.jit.inline
def step(a, b):
    with pl.manual_scope():
        copy(a, b)


@pl.jit
def main(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    t = pl.create_tensor([1, 8], dtype=pl.FP32)
    copy(x, t)
    for i in pl.range(3):
        with pl.manual_scope():
            copy(x, t)
    step(x, t)
    step(t, y)
    with pl.manual_scope():
        with pl.spmd(1) as tid:
            copy(x, t)
    copy(t, y)
