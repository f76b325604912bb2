import tilewire.language as pl
import tilewire.language.distributed as pld


NR = pl.dynamic("NR")


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[NR], pl.INT32]):
    v = pl.tile.comm_test(s, 1)
