import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit
def main(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    with pl.at(level=pl.Level.CORE_GROUP):
        for i in pl.range(4):
            pld.system.defer_wait(s, [i, 0], 1)
