"""Names that need care in print: shadowed, reserved elsewhere, unicode, with numbers; strings with escapes."""
import tilewire.language as pl

ALPHA = 0.5


@pl.program
class Näming:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[16, 64], pl.FP32], x_1: pl.Tensor[[16, 64], pl.FP32],
               __private: pl.Scalar[pl.INT32],
               größe: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        t = pl.load(x)
        t = t + pl.load(x_1)
        x = t * ALPHA
        t_1 = x
        t = t_1 + x
        α = t * 2.0
        match = α
        type = match + t
        float_ = type
        _ = 3
        if __private > _:
            float_ = float_ * 2.0
        größe = pl.store(float_, [0, 0], größe)
        return größe

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[16, 64], pl.FP32], n: pl.Scalar[pl.INT32],
             y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        y = self.kernel(x, x, n, y)
        with pl.at(level=pl.Level.CORE_GROUP, name_hint='tab\t quote" back\\slash \x01 ünï'):
            y[...] = pl.load(y)
        return y
