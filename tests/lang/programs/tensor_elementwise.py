"""Whole-tensor ops in an opaque function: the compiler tiles them."""
import tilewire.language as pl

T = pl.Tensor[[64, 128], pl.FP32]


@pl.program
class TensorOps:
    @pl.function(type=pl.FunctionType.Opaque)
    def mix(self, x: pl.Tensor[[64, 128], pl.FP32], y: pl.Tensor[[64, 128], pl.FP32],
            i: pl.Tensor[[64, 128], pl.INT32],
            out: pl.Out[pl.Tensor[[64, 128], pl.FP32]]) -> pl.Tensor[[64, 128], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="mix"):
            a = pl.tensor.add(x, y)
            a = pl.tensor.sub(a, x)
            a = pl.tensor.mul(a, 2.0)
            a = pl.tensor.div(a, y)
            a = pl.tensor.rem(a, 3.0)
            a = pl.tensor.maximum(a, x)
            a = pl.tensor.minimum(a, 1.0)
            a = pl.tensor.neg(a)
            a = pl.tensor.abs(a)
            a = pl.tensor.recip(a)
            a = pl.tensor.exp(a)
            a = pl.tensor.log(a)
            a = pl.tensor.sqrt(a)
            a = pl.tensor.rsqrt(a)
            a = pl.tensor.sin(a)
            a = pl.tensor.cos(a)
            a = pl.tensor.relu(a)
            a = pl.tensor.tanh(a)
            a = pl.tensor.sigmoid(a)
            mask = pl.tensor.cmp(a, y, op="ge")
            a = pl.tensor.sel(mask, a, y)
            b = pl.tensor.and_(i, 15)
            b = pl.tensor.or_(b, i)
            b = pl.tensor.xor(b, 3)
            b = pl.tensor.shl(b, 1)
            b = pl.tensor.shr(b, 1)
            b = pl.tensor.not_(b)
            c = pl.tensor.cast(b, pl.FP32)
            out = pl.tensor.assemble(out, a + c, [0, 0])
        return out
