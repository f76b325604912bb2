import tilewire.language as pl


@pl.program
class Outer:
    class Inner:
        x = 1

    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, n: pl.Scalar[pl.INDEX]):
        v = n
