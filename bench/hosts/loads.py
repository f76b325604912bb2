"""Two ranks read all of each other's window by remote loads of 8 KB and sum up what both have, over and over.

With DROPS there is a wait before each load. It always holds, but it may acquire, so what was fetched ahead is dropped
and each load takes a message of its own.
"""
import tilewire.language as pl
import tilewire.language.distributed as pld

ELEMENTS = 4096
RANKS = 2
TILE = 2048
DROPS = False


@pl.jit.incore
def read_peer(
    rounds: pl.Scalar[pl.INT32],
    data: pl.InOut[pld.DistributedTensor[[1, ELEMENTS], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 1], pl.FP32]],
):
    me = pld.rank(pld.get_comm_ctx(data))
    seen = pl.full([1, 1], dtype=pl.FP32, value=0.0)
    for at in pl.range(0, ELEMENTS, TILE):
        data = pl.store(pl.full([1, TILE], dtype=pl.FP32, value=1.0) * pl.cast(me + 1, pl.FP32), [0, at], data)
    pld.tensor.barrier(signal)
    for i in pl.range(rounds):
        for at in pl.range(0, ELEMENTS, TILE):
            if DROPS:
                pld.system.wait(signal, [me, 0], 0)
            both = pl.load(data, [0, at], [1, TILE]) + pld.tile.remote_load(data, 1 - me, [0, at], [1, TILE])
            seen = seen + pl.row_sum(both) * (1.0 / TILE)
        pld.tensor.barrier(signal)  # the next round has to fetch again
    y = pl.store(seen, [0, 0], y)
    return y


@pl.jit.host
def loads(rounds: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[RANKS, 1, 1], pl.FP32]]):
    data = pld.alloc_window([1, ELEMENTS], dtype=pl.FP32)
    signal = pld.alloc_signal(RANKS)
    for r in pl.range(RANKS):
        read_peer(rounds, data, signal, y[r], device=r)
