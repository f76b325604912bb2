# run: tilewire check %s --ranks 3
# verdict: proved
"""Rank 0 waits on one group and signals on another. Both tasks take a window of a third, on which neither communicates."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def hear(a: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]], b: pld.DistributedTensor[[1, 8], pl.FP32],
         y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pld.system.wait(a, [0, 0], 1)
    pl.store(pl.load(b), [0, 0], y)


@pl.jit.incore
def tell(c: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]], b: pld.DistributedTensor[[1, 8], pl.FP32],
         z: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(b), [0, 0], z)
    pld.system.notify(c, 1, [0, 0], 1)


@pl.jit
def first(a: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]], b: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
          c: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
          z: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    hear(a, b, y)
    tell(c, b, z)


@pl.jit.incore
def last(c: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]], d: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    pld.system.wait(c, [0, 0], 1)
    pld.system.notify(d, 0, [0, 0], 1)


@pl.jit.incore
def middle(a: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]], d: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    pld.system.wait(d, [0, 0], 1)
    pld.system.notify(a, 0, [0, 0], 1)


@pl.jit.incore
def touch(b: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(b), [0, 0], b)


@pl.jit.host
def main(y: pl.Out[pl.Tensor[[1, 8], pl.FP32]], z: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    a = pld.alloc_window([1, 1], dtype=pl.INT32)
    b = pld.alloc_window([1, 8], dtype=pl.FP32)
    c = pld.alloc_window([1, 1], dtype=pl.INT32)
    d = pld.alloc_window([1, 1], dtype=pl.INT32)
    first(a, b, c, y, z, device=0)
    middle(a, d, device=1)
    last(c, d, device=2)
    touch(b, device=1)
    touch(b, device=2)
