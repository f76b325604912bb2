"""Scopes that lift data order and scopes that free what is created inside: nested, in loops and branches, inlined."""
import tilewire.language as pl


@pl.jit.incore
def copy(a: pl.Tensor[[16, 64], pl.FP32], b: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    b = pl.store(pl.load(a), [0, 0], b)
    return b


@pl.jit.inline
def through(a, b):
    with pl.scope():
        t = pl.create_tensor([16, 64], dtype=pl.FP32)
        with pl.spmd(1) as filled:
            t = copy(a, t)
        with pl.spmd(1, deps=[filled]) as done:
            copy(t, b)
    return done


@pl.jit
def main(x: pl.Tensor[[4, 16, 64], pl.FP32], y: pl.InOut[pl.Tensor[[4, 16, 64], pl.FP32]]):
    count = 0
    with pl.manual_scope():
        done = through(x[0], y[0])
        with pl.manual_scope():
            done = pl.task_join(deps=[done, through(x[1], y[1])])
        for i in pl.range(2):
            with pl.at(level=pl.Level.CORE_GROUP, deps=[done]) as done:
                y[2] = pl.load(y[0]) + pl.load(y[1])
        first = pl.read(y, [0, 0, 0])
        count = count + 1
    for i in pl.range(2):
        with pl.manual_scope():
            copy(x[2], y[3])
        with pl.scope():
            if first > 0.0:
                with pl.scope():
                    z = pl.tensor.full([16, 64], dtype=pl.FP32, value=1.0)
                    copy(z, y[3])
            count = count + 1
    with pl.scope():
        pass
    with pl.at(level=pl.Level.CORE_GROUP, deps=[done]):
        y[3] = pl.load(y[3]) + pl.cast(count, pl.FP32)
    return y
