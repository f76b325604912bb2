import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore, attrs={"effects": "read"})
    def copy(self, x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
        y = pl.store(pl.load(x), [0, 0], y)
