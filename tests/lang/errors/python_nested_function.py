import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    def double(a):
        return a * 2
    v = double(n)
