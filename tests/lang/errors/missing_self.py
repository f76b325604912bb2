import tilewire.language as pl


@pl.program
class Program:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(n: pl.Scalar[pl.INDEX]):
        v = n
