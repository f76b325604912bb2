"""Sub-groups: every op with a peer and every collective in one, contexts in loops, branches and parameters, on the host."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.inline
def meet(signal, group):
    pld.system.notify_all(signal, 1, group=group)
    pld.system.wait_all(signal, 1, group=group)


@pl.jit.incore
def by_hand(
    x: pl.Tensor[[1, 16], pl.FP32],
    group: pld.CommCtx,
    rows: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 16], pl.FP32]],
):
    ctx = pld.get_comm_ctx(rows)
    me = pld.rank(ctx)
    here = pld.rank(group)
    size = pld.nranks(group)
    last = size - 1
    rows = pl.store(pl.load(x), [0, 0], rows)
    rows = pld.tile.remote_store(pl.load(x), rows, (here + 1) % size, [1, 0], group=group)
    rows = pld.tensor.put(rows, last - here, x, [2, 0], [0, 0], [1, 16], signal=signal, at=[me, 0], group=group)
    pld.system.wait(signal, [pld.member_rank(group, last - here), 0], 1)
    pl.tile.comm_notify(pld.peer_slot(signal, here, [pld.member_rank(group, last - here), 0], group=group), -1)
    meet(signal, group)
    theirs = pld.tile.remote_load(rows, here, [1, 0], [1, 16], group=group)
    rows = pld.tensor.get(rows, here, rows, [3, 0], [2, 0], [1, 16], group=group)
    y = pl.store(theirs + pl.load(rows, [3, 0], [1, 16]), [0, 0], y)
    for peer in pl.range(size):
        if peer != here:
            pld.system.notify(signal, here, [pld.member_rank(group, peer), 0], -1, group=group)
    return y


@pl.jit.incore
def collectives(
    w: pl.InOut[pld.DistributedTensor[[1, 16], pl.FP32]],
    wide: pl.InOut[pld.DistributedTensor[[NR, 16], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NR * 2, 1], pl.INT32]],
    columns: pl.Scalar[pl.INDEX],
    y: pl.Out[pl.Tensor[[1, 16], pl.FP32]],
):
    ctx = pld.get_comm_ctx(w)
    group = pld.mesh_axis(ctx, [pld.nranks(ctx) // columns, columns], -1)
    for axis in pl.range(2):
        w = pld.tensor.allreduce(w, signal, group=group)
        if columns > 1:
            group = pld.mesh_axis(ctx, [pld.nranks(ctx) // columns, columns], 0)
        else:
            group = pld.subgroup(ctx, 1)
        w = pld.tensor.broadcast(w, signal, root=pld.nranks(group) - 1, group=group)
        pld.tensor.barrier(signal, group=group)
    whole = pld.subgroup(ctx, pld.nranks(ctx))
    wide = pld.tensor.allgather(w, wide, signal, group=whole)
    y = pl.store(pl.load(wide, [pld.rank(whole), 0], [1, 16]), [0, 0], y)
    return y


@pl.jit
def chip(
    x: pl.Tensor[[1, 16], pl.FP32],
    rows: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 16], pl.FP32]],
):
    ctx = pld.get_comm_ctx(rows)
    y = by_hand(x, pld.subgroup(ctx, pld.nranks(ctx)), rows, signal, y)
    return y


@pl.jit.host
def main(
    x: pl.Tensor[[NR, 1, 16], pl.FP32],
    y: pl.Out[pl.Tensor[[NR, 1, 16], pl.FP32]],
    z: pl.Out[pl.Tensor[[NR, 1, 16], pl.FP32]],
):
    n = pld.world_size()
    rows = pld.alloc_window([4, 16], dtype=pl.FP32)
    buffer = pld.alloc_window_buffer([1, 16], dtype=pl.FP32, load_from_host=x)
    w = pld.window(buffer, [1, 16], dtype=pl.FP32)
    wide = pld.alloc_window([n, 16], dtype=pl.FP32)
    signal = pld.alloc_signal(n)
    signals = pld.alloc_signal(2 * n)
    for i in pl.range(n):
        chip(x[i], rows, signal, y[i], device=i)
    own = pld.subgroup(pld.get_comm_ctx(w), 1, stride=n)
    w = pld.tensor.allreduce(w, signals, group=own)
    for i in pl.range(n):
        for j in pl.range(1):
            collectives(w, wide, signals, 1, z[i], device=i + j)
