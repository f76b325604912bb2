# Exchanges along both axes of a mesh, with cells that tell them apart.
# run: tilewire check %s --ranks 4
# verdict: proved
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def k(
    x: pl.Tensor[[1, 32], pl.INT32],
    y: pl.Out[pl.Tensor[[1, 32], pl.INT32]],
    w: pl.InOut[pld.DistributedTensor[[2, 32], pl.INT32]],
    s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
):
    ctx = pld.get_comm_ctx(w)
    row = pld.mesh_axis(ctx, [2, 2], 1)
    col = pld.mesh_axis(ctx, [2, 2], 0)
    pld.tile.remote_store(pl.load(x), w, 1 - pld.rank(row), [0, 0], group=row)
    pld.system.notify(s, 1 - pld.rank(row), [0, 0], 1, group=row)
    pld.system.wait(s, [0, 0], 1)
    t = pl.load(x) + pl.load(w, [0, 0], [1, 32])
    pld.tile.remote_store(t, w, 1 - pld.rank(col), [1, 0], group=col)
    pld.system.notify(s, 1 - pld.rank(col), [1, 0], 1, group=col)
    pld.system.wait(s, [1, 0], 1)
    y = pl.store(t + pl.load(w, [1, 0], [1, 32]), [0, 0], y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 32], pl.INT32], y: pl.Out[pl.Tensor[[NR, 1, 32], pl.INT32]]):
    w = pld.alloc_window([2, 32], dtype=pl.INT32)
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        k(x[r], y[r], w, s, device=r)
