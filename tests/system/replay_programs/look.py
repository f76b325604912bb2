# run: tilewire check %s --ranks 2
"""A rank reads a cell as an element until it is told, and takes that for an order."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def chip(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(w))
    if me == 0:
        pld.tile.remote_store(pl.load(x), w, 1, [0, 0])
        pld.system.notify(s, 1, [0, 0], 1)
    else:
        seen = pl.read(s, [0, 0])
        while seen < 1:
            seen = pl.read(s, [0, 0])
        pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(2)
    for r in pl.range(2):
        chip(x[r], y[r], w, s, device=r)
