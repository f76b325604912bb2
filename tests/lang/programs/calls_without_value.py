"""Kernels that return nothing, called bare and in `return`: a task in either place."""
import tilewire.language as pl


@pl.jit.incore
def double(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    pl.store(pl.load(x) * 2.0, [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
         z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    double(x, y)
    return double(y, z)
