# run: tilewire check %s --ranks 2
"""Puts that signal, and a second one while the first is read."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def chip(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(w))
    for round in pl.range(2):
        if me == 0:
            pld.tensor.put(w, 1, x, signal=s, at=[0, 0])
        else:
            pld.system.wait(s, [0, 0], round + 1)
            pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(2)
    for r in pl.range(2):
        chip(x[r], y[r], w, s, device=r)
