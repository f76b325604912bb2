import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32]):
    t = pld.tile.remote_load(w, 0, [0, 8], [16, 16])
