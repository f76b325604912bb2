"""One kernel text, three versions: two shapes, two dtypes, a compile-time flag."""
import tilewire.language as pl


@pl.jit.incore
def scale(x, factor, y: pl.Out, negate=False):
    t = pl.load(x)
    if negate:
        t = -t
    y = pl.store(t * factor, [0, 0], y)
    return y


@pl.jit
def main(a: pl.Tensor[[16, 64], pl.FP32], b: pl.Tensor[[32, 32], pl.FP32], c: pl.Tensor[[16, 64], pl.FP16],
         k: pl.Scalar[pl.FP32], h: pl.Scalar[pl.FP16], a2: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
         b2: pl.Out[pl.Tensor[[32, 32], pl.FP32]], c2: pl.Out[pl.Tensor[[16, 64], pl.FP16]]):
    a2 = scale(a, k, a2)
    b2 = scale(b, k, b2)
    c2 = scale(c, h, c2)
    a2 = scale(a, k, a2, negate=True)
    a2 = scale(a2, k, a2)
    return a2, b2, c2
