"""All-reduce by hand, ring form: reduce-scatter around the ring, then the shares go round once more."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
PARTS = pl.dynamic("PARTS")
CHUNK = 64


@pl.jit.incore
def ring(data: pl.InOut[pld.DistributedTensor[[NR, CHUNK], pl.FP32]],
         inbox: pl.InOut[pld.DistributedTensor[[NR, CHUNK], pl.FP32]],
         signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(data)
    me = pld.rank(ctx)
    n = pld.nranks(ctx)
    right = (me + 1) % n
    left = (me + n - 1) % n
    for step in pl.range(n - 1):
        send = (me - step) % n
        t = pl.load(data, [send, 0], [1, CHUNK])
        pld.tile.remote_store(t, inbox, right, [step, 0])
        pld.system.notify(signal, right, [me, 0], 1, op="add")
        pld.system.wait(signal, [left, 0], step + 1, cmp="ge")
        receive = (me - step - 1) % n
        mine = pl.load(data, [receive, 0], [1, CHUNK])
        theirs = pl.load(inbox, [step, 0], [1, CHUNK])
        data = pl.store(mine + theirs, [receive, 0], data)
    for step in pl.range(n - 1):
        send = (me + 1 - step) % n
        t = pl.load(data, [send, 0], [1, CHUNK])
        pld.tile.remote_store(t, data, right, [send, 0])
        pld.system.notify(signal, right, [me, 0], 1)
        pld.system.wait(signal, [left, 0], n + step)
    return data


@pl.jit
def chip(x: pl.Tensor[[PARTS, CHUNK], pl.FP32], data: pl.InOut[pld.DistributedTensor[[NR, CHUNK], pl.FP32]],
         inbox: pl.InOut[pld.DistributedTensor[[NR, CHUNK], pl.FP32]],
         signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], y: pl.Out[pl.Tensor[[PARTS, CHUNK], pl.FP32]]):
    n = pl.dim(x, 0)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="stage in"):
        for r in pl.range(n):
            data = pl.store(pl.load(x, [r, 0], [1, CHUNK]), [r, 0], data)
    data = ring(data, inbox, signal)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="stage out"):
        for r in pl.range(n):
            y = pl.store(pl.load(data, [r, 0], [1, CHUNK]), [r, 0], y)
    return y


@pl.jit.host
def host(x: pl.Tensor[[NR, NR, CHUNK], pl.FP32], y: pl.Out[pl.Tensor[[NR, NR, CHUNK], pl.FP32]]):
    n = pld.world_size()
    data = pld.alloc_window([n, CHUNK], dtype=pl.FP32)
    inbox = pld.alloc_window([n, CHUNK], dtype=pl.FP32)
    signal = pld.alloc_signal(n)
    for r in pl.range(n):
        chip(x[r], data, inbox, signal, y[r], device=r)
