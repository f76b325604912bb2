"""Every collective called inside kernels, in a loop and behind a branch that all ranks take alike."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
M = 8


@pl.jit.incore
def everything(local: pl.InOut[pld.DistributedTensor[[M, 64], pl.BF16]],
               wide: pl.InOut[pld.DistributedTensor[[NR * M, 64], pl.BF16]],
               other: pl.InOut[pld.DistributedTensor[[NR * M, 64], pl.BF16]],
               send_counts: pl.InOut[pld.DistributedTensor[[NR], pl.INT32]],
               recv_counts: pl.InOut[pld.DistributedTensor[[NR], pl.INT32]],
               signal: pl.InOut[pld.DistributedTensor[[NR * 2, 1], pl.INT32]], rounds: pl.Scalar[pl.INT32],
               y: pl.Out[pl.Tensor[[M, 64], pl.BF16]]):
    for i in pl.range(rounds):
        local = pld.tensor.allreduce(local, signal, op=pld.ReduceOp.Prod, mode="ring")
        local = pl.store(pl.load(local) * 0.5, [0, 0], local)
    if rounds > 2:
        local = pld.tensor.allreduce(local, signal, mode="two_shot")
    else:
        local = pld.tensor.allreduce(local, signal, op="min", mode="auto")
    pld.tensor.barrier(signal)
    local = pld.tensor.broadcast(local, signal, root=rounds % 2)
    wide = pld.tensor.allgather(local, wide, signal)
    wide = pld.tensor.reduce_scatter(wide, signal, op="sum")
    other = pld.tensor.all_to_all(wide, other, signal)
    other = pld.tensor.all_to_all_v(wide, other, signal, send_counts, recv_counts)
    y[...] = pl.load(other, [0, 0], [M, 64])
    return y


@pl.jit.host
def host(rounds: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[NR, M, 64], pl.BF16]]):
    n = pld.world_size()
    local = pld.alloc_window([M, 64], dtype=pl.BF16)
    wide = pld.alloc_window([n * M, 64], dtype=pl.BF16)
    other = pld.alloc_window([n * M, 64], dtype=pl.BF16)
    send_counts = pld.alloc_window([n], dtype=pl.INT32)
    recv_counts = pld.alloc_window([n], dtype=pl.INT32)
    signal = pld.alloc_signal(2 * n)
    for r in pl.range(n):
        everything(local, wide, other, send_counts, recv_counts, signal, rounds, y[r], device=r)
