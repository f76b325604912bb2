# run: tilewire print %s --after collect_comm_groups
"""Two host functions, each with a window of its own; both windows are called `w`."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def k(w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def a(y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    k(w, y, device=0)


@pl.jit.host
def b(y: pl.Out[pl.Tensor[[2, 8], pl.FP32]]):
    w = pld.alloc_window([2, 8], dtype=pl.FP32)
    s = pld.alloc_window([1, 8], dtype=pl.FP32)
    for r in pl.range(2):
        k(s, y[r : r + 1, :], device=r)
        k(w[0:1, :], y[r : r + 1, :], device=r)
