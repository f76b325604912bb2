# run: tilewire check %s
"""Tensors that the orchestration function makes and fills; two tasks write one of them."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def copy(a: pl.Tensor[[1, 8], pl.FP32], b: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(a), [0, 0], b)


@pl.jit
def main(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]], z: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    t = pl.create_tensor([1, 8], dtype=pl.FP32)
    u = pl.tensor.full([1, 8], dtype=pl.FP32, value=3.0)
    copy(u, t)
    with pl.at(level=pl.Level.CORE_GROUP):
        z[...] = pl.load(u) + 1.0
    copy(x, pl.no_dep(t))
    copy(t, y)
