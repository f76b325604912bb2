# run: tilewire check %s --ranks 2
# verdict: refuted
"""A notify in a task with `ordered=False` is not ordered after the task that sends the data."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")

@pl.jit.incore
def send(x: pl.Tensor[[1, 8], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]]):
    me = pld.rank(pld.get_comm_ctx(w))
    pld.tile.remote_store(pl.load(x), w, 1 - me, [0, 0])  # found: race


@pl.jit.incore
def receive(w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
            y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pld.system.wait(s, [0, 0], 1)
    pl.store(pl.load(w), [0, 0], y)


@pl.jit
def chip(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
         w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    send(x, w)
    with pl.at(level=pl.Level.CORE_GROUP, ordered=False):
        pld.system.notify(s, 1 - pld.rank(pld.get_comm_ctx(s)), [0, 0], 1)
    receive(w, s, y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], w, s, device=r)
