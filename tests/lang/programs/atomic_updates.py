"""Atomic updates that return the old value: elements of this rank's tensors, and cells of any rank."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def update(
    counter: pl.InOut[pl.Tensor[[4], pl.INT64]],
    cells: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[4], pl.INT64]],
):
    me = pld.rank(pld.get_comm_ctx(cells))
    first = pl.atomic_add(counter, [1], 5)
    second = pl.atomic_cas(counter, [1], first + 5, 7)
    third = pld.system.fetch_add(cells, me, [me, 0], 3)
    fourth = pld.system.compare_exchange(cells, me, [me, 0], 3, 9)
    pl.write(y, [0], first)
    pl.write(y, [1], second)
    pl.write(y, [2], pl.cast(third, pl.INT64))
    pl.write(y, [3], pl.cast(fourth, pl.INT64))
    return y


@pl.jit.host
def host(counter: pl.InOut[pl.Tensor[[NR, 4], pl.INT64]], y: pl.Out[pl.Tensor[[NR, 4], pl.INT64]]):
    cells = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        update(counter[r], cells, y[r], device=r)
