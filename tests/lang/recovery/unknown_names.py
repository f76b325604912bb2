"""Names that are not there, with what was probably meant."""
import tilewire.language as pl

HIDDEN = 64


@pl.program
class Names:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[16, HIDEN], pl.FP32],
               y: pl.Out[pl.Tensor[[16, HIDDEN], pl.FP32]]) -> pl.Tensor[[16, HIDDEN], pl.FP32]:
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def other(self, x: pl.Tensor[[16, 64], pl.FP32],
              y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        t = pl.laod(x, [0, 0], [16, 64])
        u = pl.tile.expp(pl.load(x))
        v = pl.load(x, [0, 0], [16, 64], target_memory=pl.Mem.Vac)
        w = pl.load(x, [0, 0], [16, 64], target_memry=pl.Mem.Vec)
        y = pl.store(tt, [0, 0], y)
        z = pl.cast(w, pl.FP31)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[16, 64], pl.FP32],
             y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        y = self.othr(x, y)
        return y
