import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[4, 1], pl.INT64]):
    pld.system.wait(w, [0, 0], 1)
