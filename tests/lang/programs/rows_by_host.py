"""On which host a rank lives, and storage that a kernel gives back before it ends."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def scale(
    x: pl.Tensor[[8, 64], pl.FP32],
    w: pl.InOut[pld.DistributedTensor[[8, 64], pl.FP32]],
    y: pl.Out[pl.Tensor[[8, 64], pl.FP32]],
):
    ctx = pld.get_comm_ctx(w)
    on_each = pld.nranks(ctx) // pld.nhosts(ctx)
    host = pld.rank(ctx) // on_each
    for i in pl.range(2):
        aside = pl.create_tensor([8, 64], dtype=pl.FP32)
        aside = pl.store(pl.load(x) * pl.cast(host + i, pl.FP32), [0, 0], aside)
        w = pl.store(pl.load(aside) + 1.0, [0, 0], w)
        aside = pl.tensor.release(aside)
    y = pl.store(pl.load(w), [0, 0], y)
    return y


@pl.jit.host
def main(x: pl.Tensor[[NR, 8, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 8, 64], pl.FP32]]):
    w = pld.alloc_window([8, 64], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        scale(x[r], w, y[r], device=r)
