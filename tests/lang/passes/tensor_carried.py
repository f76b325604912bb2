# run: tilewire print --after convert_tensor_to_tile_ops %s
"""Tensors handed through loops and branches: tiles where nobody looks at the old one, memory else."""
import tilewire.language as pl


@pl.program
class Carried:
    @pl.function(type=pl.FunctionType.InCore)
    def sums(self, x: pl.Tensor[[4, 32, 64], pl.FP32], w: pl.Tensor[[64, 32], pl.FP32], k: pl.Scalar[pl.INT32],
             y: pl.Out[pl.Tensor[[32, 32], pl.FP32]]) -> pl.Tensor[[32, 32], pl.FP32]:
        acc = pl.tensor.full([32, 32], dtype=pl.FP32, value=0.0)
        for i in pl.range(4):
            acc = pl.tensor.matmul_acc(acc, x[i], w)
        t = pl.tensor.mul(acc, 0.5)
        if k > 1:
            t = t + acc
        else:
            t = t - acc
        y[...] = t
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def shared(self, x: pl.Tensor[[32, 64], pl.FP32],
               y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]) -> pl.Tensor[[32, 64], pl.FP32]:
        a = pl.tensor.mul(x, 2.0)
        b = pl.tensor.assemble(a, x[0:8], [8, 0])
        y[...] = a + b
        first = b[0, 3]
        y[0, 0] = first
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def parts(self, x: pl.Tensor[[32, 64], pl.FP32],
              y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]) -> pl.Tensor[[32, 64], pl.FP32]:
        t = pl.create_tensor([32, 64], dtype=pl.FP32)
        t = pl.tensor.assemble(t, x[16:32], [0, 0])
        t = pl.tensor.assemble(t, x[0:16], [16, 0])
        y[...] = pl.tensor.exp(t)
        return y
