"""An opaque function: scopes become kernels, plain tensor code between them."""
import tilewire.language as pl


@pl.program
class Opaque:
    @pl.function(type=pl.FunctionType.Opaque)
    def block(self, x: pl.Tensor[[64, 64], pl.FP32], w: pl.Tensor[[64, 64], pl.FP32],
              y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        hidden = pl.create_tensor([64, 64], dtype=pl.FP32)
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="project"):
            hidden[...] = pl.matmul(pl.load(x), pl.load(w))
        for i in pl.parallel(4):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="normalise"):
                t = pl.load(hidden, [i * 16, 0], [16, 64])
                norm = pl.rsqrt(pl.row_sum(t * t) + 1e-6)
                y = pl.store(t * norm, [i * 16, 0], y)
        return y
