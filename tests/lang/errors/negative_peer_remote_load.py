import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32]):
    t = pld.tile.remote_load(w, -2, [0, 0], [16, 16])
