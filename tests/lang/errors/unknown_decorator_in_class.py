import tilewire.language as pl


@pl.program
class Program:
    @pl.range
    def kernel(self, n: pl.Scalar[pl.INDEX]):
        v = n
