# run: tilewire check %s --ranks 1,2
# verdict: refuted
"""The rounds of a parallel loop write one window."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def fill(i: pl.Scalar[pl.INDEX], w: pl.Out[pld.DistributedTensor[[1, 8], pl.FP32]]):
    w = pl.store(pl.full([1, 8], dtype=pl.FP32, value=pl.cast(i, pl.FP32)), [0, 0], w)  # found: race
    return w


@pl.jit
def chip(w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]]):
    for i in pl.parallel(4):
        w = fill(i, w)


@pl.jit.host
def main(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        chip(w, device=r)
