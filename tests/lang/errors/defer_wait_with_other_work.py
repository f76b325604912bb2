import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit
def main(s: pld.DistributedTensor[[4, 1], pl.INT32], x: pl.Tensor[[16, 16], pl.FP32],
         y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP) as tid:
        pld.system.defer_wait(s, [0, 0], 1)
        y = pl.store(pl.load(x), [0, 0], y)
