# run: tilewire check %s --ranks 2
# verdict: proved
"""The cell is notified once: it is always the task that writes."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def see(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], n: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):
    if pld.rank(pld.get_comm_ctx(s)) == 0:
        pl.write(n, [0, 0], pld.system.wait(s, [0, 0], 1))
    else:
        pld.system.notify(s, 0, [0, 0], 1)
        pl.write(n, [0, 0], pl.const(1, pl.INT32))


@pl.jit.incore
def copy(a: pl.Tensor[[1, 8], pl.FP32], b: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(a), [0, 0], b)


@pl.jit
def chip(
    x: pl.Tensor[[1, 8], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]],
):
    n = pl.create_tensor([1, 8], dtype=pl.INT32)
    t = pl.create_tensor([1, 8], dtype=pl.FP32)
    ids = pl.array.create(4, pl.TASK_ID)
    see(s, n)
    k = pl.read(n, [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP) as a:
        pl.store(pl.load(x), [0, 0], t)
    ids[1] = a
    copy(pl.no_dep(t), y, deps=[ids[k]])


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], s, device=r)
