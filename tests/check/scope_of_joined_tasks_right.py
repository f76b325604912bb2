# Tasks of a manual scope write rows of a tensor that a storage scope frees; one join stands for them all.
# run: tilewire check %s
# verdict: proved
import tilewire.language as pl


@pl.jit.incore
def fill(t: pl.InOut[pl.Tensor[[4, 64], pl.INT32]], i: pl.Scalar[pl.INDEX]):
    t = pl.store(pl.full([1, 64], dtype=pl.INT32, value=2) + pl.cast(i, pl.INT32), [i, 0], t)
    return t


@pl.jit.incore
def acc(t: pl.Tensor[[4, 64], pl.INT32], y: pl.InOut[pl.Tensor[[1, 64], pl.INT32]]):
    y = pl.store(pl.load(y) * 3 + pl.col_sum(pl.load(t)), [0, 0], y)
    return y


@pl.jit
def main(y: pl.InOut[pl.Tensor[[1, 64], pl.INT32]]):
    for r in pl.range(6):
        with pl.scope():
            t = pl.create_tensor([4, 64], dtype=pl.INT32)
            with pl.manual_scope():
                ids = pl.array.create(4, pl.TASK_ID)
                for i in pl.range(4):
                    with pl.at(level=pl.Level.CORE_GROUP) as a:
                        t = fill(t, i)
                    ids[i] = a
                j = pl.task_join(deps=[ids])
                with pl.at(level=pl.Level.CORE_GROUP, deps=[j]):
                    y = acc(t, y)
    return y
