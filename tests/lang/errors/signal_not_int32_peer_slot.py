import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[4, 1], pl.UINT32]):
    v = pld.peer_slot(w, 0, [0, 0])
