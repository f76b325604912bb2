"""Sub-groups that do not divide their group, peers outside them, and collectives in many divisions."""
# fails: uneven TW2135 25 ranks=4,5 n=3
# fails: uneven TW2135 25 ranks=4 n=0
# fails: uneven TW2135 25 ranks=2 n=4
# fails: mesh TW2136 32 ranks=2,3 n=4
# fails: mesh TW2136 32 ranks=6 n=-2
# fails: peer TW2137 39 ranks=2,4 n=2
# fails: peer TW2137 39 ranks=2,4 hooks n=-1
# fails: member TW2137 45 ranks=4 n=2
# fails: other TW2138 52 ranks=3 n=1
# collective: sums ranks=1,2,3,4,6,8 n=1
# collective: sums ranks=2,4,6,8 n=2
# collective: sums ranks=3,6 n=3
# collective: halved ranks=1,2,3,4,6,8 n=2
# collective: on_host ranks=2,4,6 n=2
# collective: on_host ranks=1,3,6 n=1
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def k_uneven(w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    g = pld.subgroup(pld.get_comm_ctx(w), n)
    t = pld.tile.remote_load(w, 0, [0, 0], [4, 16], group=g)
    w = pl.store(t, [0, 0], w)


@pl.jit.incore
def k_mesh(w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    g = pld.mesh_axis(pld.get_comm_ctx(w), [n, 2], 0)
    w = pl.store(pld.tile.remote_load(w, 0, [0, 0], [4, 16], group=g), [0, 0], w)


@pl.jit.incore
def k_peer(w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    g = pld.subgroup(pld.get_comm_ctx(w), 2)
    w = pl.store(pld.tile.remote_load(w, n, [0, 0], [4, 16], group=g), [0, 0], w)


@pl.jit.incore
def k_member(s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], n: pl.Scalar[pl.INDEX]):
    g = pld.subgroup(pld.get_comm_ctx(s), 2)
    pld.system.wait(s, [pld.member_rank(g, n), 0], 0)


@pl.jit.incore
def k_other(some: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
            all: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], n: pl.Scalar[pl.INDEX]):
    g = pld.subgroup(pld.get_comm_ctx(some), n)
    pld.system.notify_all(all, group=g)


@pl.jit.host
def uneven(n: pl.Scalar[pl.INDEX]):
    w_uneven = pld.alloc_window([4, 16], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        k_uneven(w_uneven, n, device=r)


@pl.jit.host
def mesh(n: pl.Scalar[pl.INDEX]):
    w_mesh = pld.alloc_window([4, 16], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        k_mesh(w_mesh, n, device=r)


@pl.jit.host
def peer(n: pl.Scalar[pl.INDEX]):
    w_peer = pld.alloc_window([4, 16], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        k_peer(w_peer, n, device=r)


@pl.jit.host
def member(n: pl.Scalar[pl.INDEX]):
    s_member = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        k_member(s_member, n, device=r)


@pl.jit.incore
def k_rest(all: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
    pld.system.notify(all, 0, [0, 0], 1)


@pl.jit.host
def other(n: pl.Scalar[pl.INDEX]):
    s_some = pld.alloc_signal(2)
    s_all = pld.alloc_signal(pld.world_size())
    for r in pl.range(2):
        k_other(s_some, s_all, n, device=r)
    for r in pl.range(2, pld.world_size()):
        k_rest(s_all, device=r)


@pl.jit.incore
def k_sums(
    x: pl.Tensor[[4, 16], pl.FP32],
    n: pl.Scalar[pl.INDEX],
    w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]],
    wide: pl.InOut[pld.DistributedTensor[[NR * 4, 16], pl.FP32]],
    other: pl.InOut[pld.DistributedTensor[[NR * 4, 16], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[NR * 2, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[24, 16], pl.FP32]],
):
    ctx = pld.get_comm_ctx(w)
    ranks = pld.nranks(ctx)
    row = pld.mesh_axis(ctx, [ranks // n, n], 1)
    column = pld.subgroup(ctx, ranks // n, stride=n)
    w = pl.store(pl.load(x), [0, 0], w)
    w = pld.tensor.allreduce(w, s, group=row)
    y = pl.store(pl.load(w), [0, 0], y)
    w = pld.tensor.allreduce(w, s, mode="ring", group=column)
    y = pl.store(pl.load(w), [4, 0], y)
    w = pld.tensor.allreduce(w, s, mode="mesh", op=pld.ReduceOp.Max)
    w = pl.store(pl.load(w) + pl.cast(pld.rank(ctx), pl.FP32), [0, 0], w)
    w = pld.tensor.broadcast(w, s, root=pld.nranks(row) - 1, group=row)
    y = pl.store(pl.load(w), [8, 0], y)
    for i in pl.range(ranks):
        wide = pl.store(pl.load(x) + pl.cast(i, pl.FP32), [i * 4, 0], wide)
    part = wide[0 : pld.nranks(column) * 4, :]
    part = pld.tensor.reduce_scatter(part, s, group=column)
    y = pl.store(pl.load(part, [pld.rank(column) * 4, 0], [4, 16]), [12, 0], y)
    gathered = other[0 : pld.nranks(row) * 4, :]
    gathered = pld.tensor.allgather(x, gathered, s, group=row)
    pld.tensor.barrier(s, group=column)
    y = pl.store(pl.load(gathered, [(pld.nranks(row) - 1) * 4, 0], [4, 16]), [16, 0], y)
    pld.tensor.barrier(s)
    for i in pl.range(ranks):
        wide = pl.store(pl.load(x) * pl.cast(i + 1, pl.FP32), [i * 4, 0], wide)
    sent = wide[0 : pld.nranks(row) * 4, :]
    gathered = pld.tensor.all_to_all(sent, gathered, s, group=row)
    y = pl.store(pl.load(gathered, [0, 0], [4, 16]), [20, 0], y)
    return y


@pl.jit.host
def sums(x: pl.Tensor[[NR, 4, 16], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[NR, 24, 16], pl.FP32]]):
    w_sums = pld.alloc_window([4, 16], dtype=pl.FP32)
    wide_sums = pld.alloc_window([pld.world_size() * 4, 16], dtype=pl.FP32)
    other_sums = pld.alloc_window([pld.world_size() * 4, 16], dtype=pl.FP32)
    s_sums = pld.alloc_signal(2 * pld.world_size())
    for i in pl.range(pld.world_size() // n):
        for j in pl.range(n):
            r = i * n + j
            k_sums(x[r], n, w_sums, wide_sums, other_sums, s_sums, y[r], device=r)


# A context that the loop divides again and again, until its condition says that nobody else is left.
@pl.jit.incore
def k_halved(
    x: pl.Tensor[[4, 16], pl.FP32],
    n: pl.Scalar[pl.INDEX],
    w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[4, 16], pl.FP32]],
):
    g = pld.get_comm_ctx(w)
    w = pl.store(pl.load(x), [0, 0], w)
    while pld.member_rank(g, 0) < pld.member_rank(g, pld.nranks(g) - 1):
        w = pld.tensor.allreduce(w, s, group=g)
        w = pl.store(pl.load(w) + pl.cast(pld.rank(g), pl.FP32), [0, 0], w)
        g = pld.subgroup(g, pld.nranks(g) // n)
    y = pl.store(pl.load(w) + pl.cast(pld.member_rank(g, 0), pl.FP32), [0, 0], y)


@pl.jit.host
def halved(x: pl.Tensor[[NR, 4, 16], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
    w_halved = pld.alloc_window([4, 16], dtype=pl.FP32)
    s_halved = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        k_halved(x[r], n, w_halved, s_halved, y[r], device=r)


@pl.jit.incore
def fill(x: pl.Tensor[[4, 16], pl.FP32], w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]]):
    w = pl.store(pl.load(x), [0, 0], w)


@pl.jit.incore
def take(w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
    y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def on_host(x: pl.Tensor[[NR, 4, 16], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
    ranks = pld.world_size()
    w_host = pld.alloc_window([4, 16], dtype=pl.FP32)
    for r in pl.range(ranks):
        fill(x[r], w_host, device=r)
    mesh = pld.get_comm_ctx(w_host)
    w_host = pld.tensor.allreduce(w_host, group=pld.mesh_axis(mesh, [ranks // n, n], 1))
    pld.tensor.barrier(group=pld.subgroup(mesh, n))
    w_host = pld.tensor.broadcast(w_host, root=ranks // n - 1, group=pld.subgroup(mesh, ranks // n, stride=n))
    for r in pl.range(ranks):
        take(w_host, y[r], device=r)
