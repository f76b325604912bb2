import tilewire.language as pl


@pl.program
class Program:
    def kernel(self, n: pl.Scalar[pl.INDEX]):
        v = n
