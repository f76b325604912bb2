import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32], flag: pl.Scalar[pl.BOOL]):
    pld.system.wait(s, [0, 0], flag)
