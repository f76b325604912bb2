import tilewire.language as pl


N = pl.dynamic("N")


@pl.jit.incore
def both(a: pl.Tensor[[N, 16], pl.FP32], b: pl.Tensor[[N, 16], pl.FP32]):
    t = a


@pl.jit
def main(a: pl.Tensor[[16, 16], pl.FP32], b: pl.Tensor[[32, 16], pl.FP32]):
    both(a, b)
