import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[4, 1], pl.FP32]):
    pld.system.notify(w, 0, [0, 0], 1)
