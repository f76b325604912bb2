import tilewire.language as pl


@pl.program
class Program(object):
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, n: pl.Scalar[pl.INDEX]):
        v = n
