# run: tilewire check %s --ranks 2,4
# verdict: proved
"""One lock for each pair of ranks, on the first rank of the pair, and a counter of those who have been served."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def chip(
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    lock: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
):
    pair = pld.subgroup(pld.get_comm_ctx(w), 2)
    while pld.system.compare_exchange(lock, 0, [0, 0], 0, 1, group=pair) != 0:
        pass
    t = pld.tile.remote_load(w, 0, [0, 0], [1, 8], group=pair)
    pld.tile.remote_store(t + 1.0, w, 0, [0, 0], group=pair)
    pld.system.compare_exchange(lock, 0, [0, 0], 1, 0, group=pair)
    pld.system.fetch_add(lock, 0, [1, 0], 1, group=pair)
    if pld.rank(pair) == 0:
        pld.system.wait(lock, [1, 0], 2)


@pl.jit.host
def main():
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    lock = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        chip(w, lock, device=r)
