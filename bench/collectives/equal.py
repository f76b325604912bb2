"""Sums of given arrays over all ranks, to compare their bits between ranks and between runs."""
import tilewire.language as pl
import tilewire.language.distributed as pld

RANKS = 2
ELEMENTS = 1000
MODE = "auto"


@pl.jit.incore
def sum_up(
    x: pl.Tensor[[RANKS, ELEMENTS], pl.FP32],
    data: pl.InOut[pld.DistributedTensor[[RANKS, ELEMENTS], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[2 * RANKS, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[RANKS, ELEMENTS], pl.FP32]],
):
    me = pld.rank(pld.get_comm_ctx(data))
    pld.tensor.put(data, me, x)
    if MODE == "scattered":
        data = pld.tensor.reduce_scatter(data, signal)
        data = pld.tensor.allgather(data[me : me + 1, :], data, signal)
    else:
        data = pld.tensor.allreduce(data, signal, mode=MODE)
    pld.tensor.get(y, me, data)
    return y


@pl.jit.host
def sums(x: pl.Tensor[[RANKS, RANKS, ELEMENTS], pl.FP32], y: pl.Out[pl.Tensor[[RANKS, RANKS, ELEMENTS], pl.FP32]]):
    data = pld.alloc_window([RANKS, ELEMENTS], dtype=pl.FP32)
    signal = pld.alloc_signal(2 * RANKS)
    for r in pl.range(RANKS):
        sum_up(x[r], data, signal, y[r], device=r)
