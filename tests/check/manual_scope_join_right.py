# run: tilewire check %s 
# verdict: proved
"""A join of all tasks of an array is one id for all that follow."""
import tilewire.language as pl


@pl.jit.incore
def copy(a: pl.Tensor[[1, 8], pl.FP32], b: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(a), [0, 0], b)


@pl.jit
def main(x: pl.Tensor[[2, 8], pl.FP32], y: pl.Out[pl.Tensor[[2, 8], pl.FP32]]):
    t = pl.create_tensor([2, 8], dtype=pl.FP32)
    ids = pl.array.create(2, pl.TASK_ID)
    with pl.manual_scope():
        for i in pl.range(2):
            with pl.spmd(1) as tid:
                copy(x[i:i + 1], t[i:i + 1])
            ids[i] = tid
        both = pl.task_join(deps=[ids])
        for i in pl.range(2):
            copy(t[i:i + 1], y[i:i + 1], deps=[both])
