import tilewire.language as pl


@pl.program
class Program:
    print("reading")

    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, n: pl.Scalar[pl.INDEX]):
        v = n
