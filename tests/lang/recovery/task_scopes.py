"""Task scopes: what is visible after them, what may stand in them, what deps= takes."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class Scopes:
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[16, 64], pl.FP32], n: pl.Scalar[pl.INT32],
             s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        with pl.at(level=pl.Level.CORE_GROUP) as tid:
            t = pl.load(x)
            k = pl.read(x, [0, 0])
        with pl.at(level=pl.Level.CORE_GROUP, deps=[n]):
            y = pl.store(t, [0, 0], y)
        with pl.at(level=pl.Level.CORE_GROUP, deps=tid):
            y = pl.write(y, [0, 0], k)
        with pl.at(level=pl.Level.HOST):
            pass
        with pl.at(pl.Level.CORE_GROUP):
            pass
        with pl.at(level=pl.Level.CORE_GROUP, nmae_hint="x"):
            pass
        with pl.spmd(0):
            pass
        with pl.spmd():
            pass
        with pl.at(level=pl.Level.CORE_GROUP, name_hint=3):
            pass
        with pl.at(level=pl.Level.CORE_GROUP) as waited:
            pld.system.defer_wait(s, [0, 0], 1)
            y[...] = pl.load(x)
        with open("file"):
            pass
        with pl.at(level=pl.Level.CORE_GROUP):
            return
