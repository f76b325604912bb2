"""Kernels written inline: captured scalars, tensors rebound, a temporary between two tasks."""
import tilewire.language as pl


@pl.jit
def two_stage(x: pl.Tensor[[64, 64], pl.FP32], k: pl.Scalar[pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    tmp = pl.create_tensor([64, 64], dtype=pl.FP32)
    for r in pl.range(0, 64, 32):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="scale"):
            t = pl.load(x, [r, 0], [32, 64])
            tmp = pl.store(t * k, [r, 0], tmp)
    if k > 1.0:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="exp"):
            y[...] = pl.exp(pl.load(tmp))
    else:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="log \"natural\""):
            y[...] = pl.log(pl.load(tmp))
    return y
