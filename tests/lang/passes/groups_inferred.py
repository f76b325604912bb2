# run: tilewire print --after collect_comm_groups %s
"""Buffers that go to the same ranks share a group, in the order of the source; sets may overlap."""
import tilewire.language as pl
import tilewire.language.distributed as pld

N = pl.dynamic("N")


@pl.jit.incore
def fill(w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]]):
    w = pl.store(pl.load(w) + 1.0, [0, 0], w)


@pl.jit.incore
def total(w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]], s):
    w = pld.tensor.allreduce(w, s)


@pl.jit.host
def host(x: pl.Tensor[[N, 64], pl.FP32], k: pl.Scalar[pl.INT64]):
    n = pld.world_size()
    everywhere = pld.alloc_window([1, 64], dtype=pl.FP32)
    low = pld.alloc_window([1, 64], dtype=pl.FP32)
    middle = pld.alloc_window([1, 64], dtype=pl.FP32)
    low_signal = pld.alloc_signal(2)
    sized = pld.alloc_signal(n * 2 + 1)
    every_row = pld.alloc_window([1, 64], dtype=pl.FP32)
    even = pld.alloc_window([1, 64], dtype=pl.FP32)
    all_but_first = pld.alloc_window([1, 64], dtype=pl.FP32)  # only a run can say which
    some = pld.alloc_window([1, 64], dtype=pl.FP32)  # likewise
    for r in pl.range(n):
        total(everywhere, sized, device=r)
    fill(everywhere, device=0)
    for r in pl.range(2):
        total(low, low_signal, device=r)
    fill(middle, device=2)
    fill(middle, device=1)
    for r in pl.range(N):
        fill(every_row, device=r)
    for r in pl.range(0, 6, 2):
        fill(even, device=r)
    for r in pl.range(1, n):
        fill(all_but_first, device=r)
    for r in pl.range(k):
        fill(some, device=r)
