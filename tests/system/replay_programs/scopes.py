# run: tilewire check %s --ranks 2
"""Tasks written as scopes, taken out of the order of communication."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit
def chip(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(w)
    right = (pld.rank(ctx) + 1) % pld.nranks(ctx)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="send", ordered=False):
        pld.tile.remote_store(pl.load(x), w, right, [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="tell", ordered=False):
        pld.system.notify(s, right, [0, 0], 1)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="take"):
        pld.system.wait(s, [0, 0], 1)
        y[...] = pl.load(w)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], w, s, device=r)
