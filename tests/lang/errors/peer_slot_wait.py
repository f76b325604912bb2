import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], peer: pl.Scalar[pl.INT32]):
    pl.tile.comm_wait(pld.peer_slot(s, peer, [0, 0]), 1)
    slot = pld.peer_slot(s, peer, [1, 0])
    for i in pl.range(4):
        if pl.tile.comm_test(slot, i):
            pl.tile.comm_notify(slot, 1)
