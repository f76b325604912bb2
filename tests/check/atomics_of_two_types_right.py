# run: tilewire check %s --ranks 3
# verdict: proved
"""Both ranks add INT32 elements."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def chip(
    x: pl.Tensor[[1, 8], pl.FP32],
    k: pl.Tensor[[1, 8], pl.INT32],
    y: pl.Out[pl.Tensor[[1, 8], pl.INT32]],
    f: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    i: pl.InOut[pld.DistributedTensor[[1, 8], pl.INT32]],
    b: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
):
    me = pld.rank(pld.get_comm_ctx(f))
    if me == 0:
        pld.tensor.put(i, 1, k, atomic=pld.AtomicType.Add)
    if me == 2:
        pld.tensor.put(i, 1, k, atomic=pld.AtomicType.Add)
    pld.tensor.barrier(b)
    if me == 1:
        pl.store(pl.load(i), [0, 0], y)


@pl.jit.host
def main(
    x: pl.Tensor[[NR, 1, 8], pl.FP32],
    k: pl.Tensor[[NR, 1, 8], pl.INT32],
    y: pl.Out[pl.Tensor[[NR, 1, 8], pl.INT32]],  # warned: unwritten
):
    buf = pld.alloc_window_buffer(32)
    f = pld.window(buf, [1, 8], dtype=pl.FP32)
    i = pld.window(buf, [1, 8], dtype=pl.INT32)
    b = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        chip(x[r], k[r], y[r], f, i, b, device=r)
