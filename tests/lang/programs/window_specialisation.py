"""Kernels without annotations that take windows: one version serves both buffers; the host returns a view."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def k(w, s, y):
    w = pld.tensor.allreduce(w, s)
    y = pl.store(pl.load(w), [0, 0], y)
    return w, y


@pl.jit
def chip(w, s, y: pl.Out):
    w, y = k(w, s, y)
    return w, y


@pl.jit.host
def host(y: pl.Out[pl.Tensor[[NR, 4, 64], pl.FP32]]):
    w = pld.alloc_window([4, 64], dtype=pl.FP32)
    v = pld.alloc_window([4, 64], dtype=pl.FP32)
    s = pld.alloc_signal(8)
    for r in pl.range(pld.world_size()):
        a = chip(w, s, y[r], device=r)
        b = chip(v, s, y[r], device=r)
    return w, y
