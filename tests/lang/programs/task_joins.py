"""Joins of tasks: in lists, arrays, loops and branches, under both names."""
import tilewire.language as pl


@pl.jit.incore
def double(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    y = pl.store(pl.load(x) * 2.0, [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[4, 16, 64], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.InOut[pl.Tensor[[4, 16, 64], pl.FP32]]):
    ids = pl.array.create(4, pl.TASK_ID)
    for i in pl.parallel(4):
        with pl.spmd(1) as tid:
            double(x[i], y[i])
        ids[i] = tid
    all_done = pl.task_join(deps=[ids])
    with pl.at(level=pl.Level.CORE_GROUP, deps=[all_done], name_hint="first") as first:
        y[0] = pl.load(y[1]) + pl.load(y[2])
    either = pl.no_task()
    if n > 2:
        either = pl.system.task_dummy(deps=[first, all_done])
    else:
        either = pl.task_join([first])
    last = pl.task_join(deps=[])
    for i in pl.range(n):
        last = pl.task_join(deps=[last, either, ids])
    double(x[3], y[3], deps=[last, pl.task_join(deps=[either])])
    return y
