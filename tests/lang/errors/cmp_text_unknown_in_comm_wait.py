import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    v = pl.tile.comm_wait(s[0:1, 0:1], 1, cmp="greater")
