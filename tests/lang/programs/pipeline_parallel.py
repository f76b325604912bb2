"""Layers spread over ranks: micro-batches flow from rank to rank, each step waits only for its input."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
MICRO = 4


@pl.jit.incore
def stage(weights: pl.Tensor[[64, 64], pl.FP16], source: pl.Tensor[[MICRO, 16, 64], pl.FP16],
          inbox: pl.InOut[pld.DistributedTensor[[MICRO, 16, 64], pl.FP16]],
          ready: pl.InOut[pld.DistributedTensor[[MICRO, 1], pl.INT32]],
          out: pl.Out[pl.Tensor[[MICRO, 16, 64], pl.FP16]]):
    ctx = pld.get_comm_ctx(inbox)
    me = pld.rank(ctx)
    last = pld.nranks(ctx) - 1
    w = pl.load(weights)
    for m in pl.range(MICRO):
        if me == 0:
            t = pl.load(source, [m, 0, 0], [1, 16, 64])
        else:
            pld.system.wait(ready, [m, 0], 1)
            t = pl.load(inbox, [m, 0, 0], [1, 16, 64])
        h = pl.cast(pl.relu(pl.matmul(t, w)), pl.FP16)
        if me == last:
            out = pl.store(h, [m, 0, 0], out)
        else:
            pld.tile.remote_store(h, inbox, me + 1, [m, 0, 0])
            pld.system.notify(ready, me + 1, [m, 0], 1)
    return out


@pl.jit.host
def host(weights: pl.Tensor[[NR, 64, 64], pl.FP16], source: pl.Tensor[[MICRO, 16, 64], pl.FP16],
         out: pl.Out[pl.Tensor[[NR, MICRO, 16, 64], pl.FP16]]):
    inbox = pld.alloc_window([MICRO, 16, 64], dtype=pl.FP16)
    ready = pld.alloc_signal(MICRO)
    for r in pl.range(pld.world_size()):
        stage(weights[r], source, inbox, ready, out[r], device=r)
