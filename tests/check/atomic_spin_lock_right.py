# run: tilewire check %s --ranks 2,3
# verdict: proved
"""A lock that is taken by exchanging 0 for 1, again and again until that succeeds."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def chip(
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    lock: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
):
    while pld.system.compare_exchange(lock, 0, [0, 0], 0, 1) != 0:
        pass
    t = pld.tile.remote_load(w, 0, [0, 0], [1, 8])
    pld.tile.remote_store(t + 1.0, w, 0, [0, 0])
    pld.system.notify(lock, 0, [0, 0], 0, op="set")


@pl.jit.host
def main():
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    lock = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        chip(w, lock, device=r)
