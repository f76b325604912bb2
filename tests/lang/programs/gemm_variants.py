"""matmul with transposed operands, other output types, bias, INT8 inputs; batched on tensors."""
import tilewire.language as pl


@pl.program
class Variants:
    @pl.function(type=pl.FunctionType.InCore)
    def transposed(self, a: pl.Tensor[[64, 32], pl.BF16], b: pl.Tensor[[48, 64], pl.BF16],
                   c: pl.Out[pl.Tensor[[32, 48], pl.BF16]]) -> pl.Tensor[[32, 48], pl.BF16]:
        ta = pl.load(a)
        tb = pl.load(b)
        c = pl.store(pl.matmul(ta, tb, a_trans=True, b_trans=True, out_dtype=pl.BF16), [0, 0], c)
        return c

    @pl.function(type=pl.FunctionType.InCore)
    def linear(self, x: pl.Tensor[[32, 64], pl.FP32], w: pl.Tensor[[64, 32], pl.FP32],
               bias: pl.Tensor[[1, 32], pl.FP32],
               y: pl.Out[pl.Tensor[[32, 32], pl.FP32]]) -> pl.Tensor[[32, 32], pl.FP32]:
        out = pl.matmul_bias(pl.load(x), pl.load(w), pl.load(bias))
        y = pl.store(pl.relu(out), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def quantised(self, a: pl.Tensor[[32, 64], pl.INT8], b: pl.Tensor[[64, 32], pl.INT8],
                  c: pl.Out[pl.Tensor[[32, 32], pl.INT32]]) -> pl.Tensor[[32, 32], pl.INT32]:
        c = pl.store(pl.matmul(pl.load(a), pl.load(b)), [0, 0], c)
        return c

    @pl.function(type=pl.FunctionType.Opaque)
    def on_tensors(self, a: pl.Tensor[[4, 32, 64], pl.FP16], b: pl.Tensor[[4, 64, 32], pl.FP16],
                   bias: pl.Tensor[[1, 32], pl.FP32],
                   c: pl.Out[pl.Tensor[[4, 32, 32], pl.FP32]]) -> pl.Tensor[[4, 32, 32], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="batched"):
            product = pl.batch_matmul(a, b)
            c = pl.tensor.assemble(c, product, [0, 0, 0])
            one = pl.tensor.matmul(a[0], b[0])
            two = pl.tensor.matmul_acc(one, a[1], b[1])
            three = pl.tensor.matmul_bias(a[2], b[2], bias)
            c[3] = two + three
        return c
