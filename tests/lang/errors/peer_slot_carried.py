import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], peer: pl.Scalar[pl.INT32]):
    if peer > 0:
        slot = pld.peer_slot(s, peer, [0, 0])
    else:
        slot = pld.peer_slot(s, peer, [1, 0])
    pl.tile.comm_wait(slot, 1)
    v = pl.read(slot, [0])
