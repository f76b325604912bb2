import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4], pl.INT32]):
    pld.system.wait(s, 0, 1)
